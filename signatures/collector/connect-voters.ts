import type { Clock } from "../clock.ts";
import { hasSigned } from "./ballot.ts";
import { explainDisconnection, type FailedCollection } from "./explain-failure.ts";
import type { CollectorTimings } from "./timings.ts";
import type { ValidatorNetwork } from "./validator-network.ts";

export interface ConnectContext extends FailedCollection {
  readonly network: ValidatorNetwork;
  readonly clock: Clock;
  readonly timings: CollectorTimings;
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
}

/**
 * Connects to voters until those that are connected, or have signed already, have the required weight. The others are connected
 * in the background. Fails with `UNAVAILABLE` if the connections do not have this weight within `timings.connectMs`.
 */
export async function connectVoters(context: ConnectContext): Promise<void> {
  const { ballot, network, clock, timings, startedAtMs, signal, onProgress } = context;
  const nodeIds = ballot.voters.filter((voter) => !hasSigned(voter)).flatMap(({ validator }) => validator.nodeIds);
  const untilMs = startedAtMs + timings.connectMs;
  const isEnough = (connected: ReadonlySet<string>) => {
    onProgress();
    const weight = ballot.weightWhere(
      (voter) => hasSigned(voter) || voter.nodes.some(({ nodeId }) => connected.has(nodeId)),
    );
    return weight >= ballot.requiredWeight;
  };
  for (;;) {
    await network.findAddresses(nodeIds);
    signal.throwIfAborted();
    const leftMs = Math.max(0, untilMs - clock.nowMs());
    const { connected } = await network.transport.ensureConnected(nodeIds, leftMs, isEnough, signal);
    signal.throwIfAborted();
    if (isEnough(connected)) return;
    if (clock.nowMs() + timings.lookUpPauseMs > untilMs) throw explainDisconnection(context);
    await pause(clock, timings.lookUpPauseMs, signal);
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener("abort", end);
  });
}
