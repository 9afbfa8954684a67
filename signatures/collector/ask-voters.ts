import { setMaxListeners } from "node:events";
import type { Clock } from "../p2p/clock.ts";
import type { SignatureAnswer } from "../p2p/request-signatures.ts";
import type { SignatureTransport } from "../p2p/transport.ts";
import type { SigningTask } from "../signing-task.ts";
import {
  type Ballot,
  type Cause,
  causeOf,
  hasFailed,
  hasSigned,
  isUnderWay,
  type Voter,
  type VotingNode,
} from "./ballot.ts";
import { createVoteCounter, type VoteCounterOptions } from "./count-votes.ts";
import { isUnsupported, kindOfRefusal } from "./refusals.ts";
import type { CollectorTimings } from "./timings.ts";
import { createWakeUp } from "./wake-up.ts";

export interface AskContext {
  readonly task: SigningTask;
  readonly ballot: Ballot;
  readonly transport: SignatureTransport;
  readonly clock: Clock;
  readonly timings: CollectorTimings;
  /** The moment of the request. */
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
  readonly onValid: VoteCounterOptions["onValid"];
  readonly onProgress: () => void;
}

/** The heaviest validators with this share of the weight are asked at once. The others are asked if some of these fail. */
const FIRST_ASKED_PERCENT = 95n;
/**
 * Of many validators, only those that are needed and some more with this share of the weight are asked during `spareMs`. Most answer
 * within that time, and signatures that are not needed cost each validator 0.3 ms.
 */
const SPARE_PERCENT = 10n;
const MANY_ASKED = 20;
/** A node is asked again this many times after its connection ended. */
const MAX_DISCONNECTIONS = 3;

/**
 * Asks the voters for signatures, the heaviest first, until the target weight has signed, or no more signature can come, or the
 * time is up. Rejects with the signal's reason if that is aborted.
 */
export async function askVoters(context: AskContext): Promise<void> {
  const { task, ballot, transport, clock, signal, onValid, onProgress } = context;
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const wakeUp = createWakeUp();
  let bug: { readonly error: unknown } | null = null;
  const onError = (error: unknown) => {
    bug = { error };
    wakeUp.wake();
  };
  let missingWeight = ballot.targetWeight - ballot.weightWhere(hasSigned);
  using counter = createVoteCounter({
    unsignedBytes: task.unsignedBytes,
    missingWeight: () => missingWeight,
    onCounted() {
      missingWeight = ballot.targetWeight - ballot.weightWhere(hasSigned);
      wakeUp.wake();
    },
    onValid,
    onError,
  });
  const schedule = createSchedule(context, clock.nowMs());
  const note = (answer: SignatureAnswer) => {
    if (answer.kind !== "signature") {
      schedule.note(answer);
      wakeUp.wake();
      return;
    }
    // It changes nothing before it is verified.
    const { voter, node } = ballot.placeOf(answer.nodeId);
    counter.add(voter, node, answer.signature);
  };
  const ask = async (nodes: readonly VotingNode[]) => {
    const { sourceChainId } = task.message;
    const ids = nodes.map(({ nodeId }) => nodeId);
    const { requestMs } = context.timings;
    const chainId = Buffer.from(sourceChainId, "hex");
    const answers = transport.request(chainId, ids, task.unsignedBytes, task.justification, requestMs, end.signal);
    for await (const answer of answers) note(answer);
  };
  const stopListening = transport.onConnectionChange(wakeUp.wake);
  signal.addEventListener("abort", wakeUp.wake);
  try {
    for (;;) {
      signal.throwIfAborted();
      if (bug) throw (bug as { readonly error: unknown }).error;
      const nodes = schedule.isDone() ? [] : schedule.takeNodes();
      if (nodes.length > 0) ask(nodes).catch(onError);
      onProgress();
      const waitMs = schedule.waitMs();
      if (waitMs === null) break;
      const cancel = clock.after(waitMs, wakeUp.wake);
      await wakeUp.sleep();
      cancel();
    }
    // Without the quorum, the caller throws an error with the weight that has signed. Signatures that still wait count in it.
    if (ballot.weightWhere(hasSigned) < ballot.requiredWeight) await counter.finish();
  } finally {
    end.abort();
    stopListening();
    signal.removeEventListener("abort", wakeUp.wake);
  }
}

interface Schedule {
  /** True if the target has signed, the quorum has become impossible, or the time is up. */
  isDone(): boolean;
  /** The nodes to ask now; they count as asked from now on. */
  takeNodes(): VotingNode[];
  /** Notes an answer without a signature. */
  note(answer: Exclude<SignatureAnswer, { kind: "signature" }>): void;
  /** How long to wait if no answer or connection change arrives before; null if nothing more is to be done. */
  waitMs(): number | null;
}

function createSchedule(
  { task, ballot, transport, clock, timings, startedAtMs }: AskContext,
  beganAtMs: number,
): Schedule {
  const { sourceChainId } = task.message;
  const isConnected = ({ nodeId }: VotingNode) => transport.reasonOf(nodeId) === null;
  const shareOf = (percent: bigint) => (task.set.totalWeight * percent + 99n) / 100n;
  const first = shareOf(FIRST_ASKED_PERCENT);
  const sparing = ballot.targetWeight + shareOf(SPARE_PERCENT);
  const spareUntilMs = beganAtMs + timings.spareMs;
  const isSparing = () => clock.nowMs() < spareUntilMs;
  const areEnough = (weight: bigint, count: number) =>
    (weight >= first && weight >= ballot.targetWeight) || (weight >= sparing && count >= MANY_ASKED && isSparing());
  const fail = (node: VotingNode, cause: Cause) => {
    node.cause = cause;
    node.state = "settled";
  };
  const failForNow = (node: VotingNode, cause: Cause) => {
    fail(node, cause);
    const pauseMs = Math.min(timings.firstPauseMs * 2 ** (node.attempts - 1), timings.maxPauseMs);
    node.dueMs = clock.nowMs() + pauseMs;
    if (node.dueMs <= beganAtMs + timings.lagMs) node.state = "pausing";
  };
  const dueNodes = ({ nodes }: Voter) =>
    nodes.filter(({ state, dueMs }) => state === "pausing" && dueMs <= clock.nowMs());
  const openNodes = ({ nodes }: Voter) => nodes.filter((node) => node.state === "open" && isConnected(node));

  /** When to stop waiting for connections. */
  const connectUntilMs = (signed: bigint) =>
    signed >= ballot.requiredWeight ? beganAtMs + timings.bufferConnectMs : startedAtMs + timings.connectMs;
  const refusesChain = (voter: Voter) => {
    const cause = hasSigned(voter) ? null : causeOf(voter);
    return cause?.kind === "refused" && isUnsupported(cause);
  };
  /**
   * True if some voters, but not yet a quorum, have refused because the chain signs no messages, and the voters whose answers are
   * still open could complete that quorum. Then it is worth waiting for them.
   */
  const isChainInDoubt = () => {
    const refusing = ballot.weightWhere(refusesChain);
    if (refusing === 0n || refusing >= ballot.requiredWeight) return false;
    return ballot.weightWhere((voter) => refusesChain(voter) || isUnderWay(voter)) >= ballot.requiredWeight;
  };
  const isDone = () =>
    ballot.weightWhere(hasSigned) >= ballot.targetWeight ||
    (ballot.weightWhere((voter) => !hasFailed(voter)) < ballot.requiredWeight && !isChainInDoubt()) ||
    clock.nowMs() >= startedAtMs + timings.totalMs;
  return {
    isDone,
    takeNodes() {
      const expectedVoters = ballot.voters.filter((voter) => hasSigned(voter) || isUnderWay(voter));
      let expected = expectedVoters.reduce((sum, { validator }) => sum + validator.weight, 0n);
      let count = expectedVoters.length;
      const taken: VotingNode[] = [];
      for (const voter of ballot.voters) {
        if (hasSigned(voter)) continue;
        taken.push(...dueNodes(voter));
        if (areEnough(expected, count) || isUnderWay(voter)) continue;
        const nodes = openNodes(voter);
        if (nodes.length === 0) continue;
        taken.push(...nodes);
        expected += voter.validator.weight;
        count++;
      }
      for (const node of taken) {
        node.state = "asked";
        node.attempts++;
      }
      return taken;
    },
    note(answer) {
      const { node } = ballot.placeOf(answer.nodeId);
      switch (answer.kind) {
        case "notSeen":
          return failForNow(node, { kind: "notSeen" });
        case "timeout":
          return fail(node, { kind: "timeout" });
        case "malformed":
          return fail(node, { kind: "invalid", reason: answer.reason });
        case "disconnected": {
          fail(node, { kind: "disconnected", reason: answer.reason });
          if (node.attempts <= MAX_DISCONNECTIONS) node.state = "open";
          return;
        }
        case "refused": {
          const { errorCode, errorMessage } = answer;
          const isForGood = kindOfRefusal(sourceChainId, answer) !== "lag";
          return (isForGood ? fail : failForNow)(node, { kind: "refused", errorCode, errorMessage });
        }
      }
    },
    waitMs() {
      if (isDone()) return null;
      const nowMs = clock.nowMs();
      const endMs = startedAtMs + timings.totalMs;
      const signed = ballot.weightWhere(hasSigned);
      const left = ballot.voters.filter((voter) => !hasSigned(voter)).flatMap(({ nodes }) => nodes);
      const dueMs = left.filter(({ state }) => state === "pausing").map((node) => node.dueMs);
      if (left.some(({ state }) => state === "asked" || state === "verifying") || dueMs.length > 0)
        return Math.max(0, Math.min(endMs, ...dueMs, ...(isSparing() ? [spareUntilMs] : [])) - nowMs);
      const untilMs = Math.min(endMs, connectUntilMs(signed));
      const canConnect = left.some(({ state }) => state === "open");
      return canConnect && nowMs < untilMs ? untilMs - nowMs : null;
    },
  };
}
