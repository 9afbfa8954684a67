import { setMaxListeners } from "node:events";
import type { SignatureAnswer } from "../p2p/request-signatures.ts";
import { hasSigned, type VotingNode } from "./ballot.ts";
import { createVoteCounter, type VoteCounterOptions } from "./count-votes.ts";
import { createSchedule, type ScheduleContext } from "./schedule.ts";
import { createWakeUp } from "./wake-up.ts";

export interface AskContext extends Omit<ScheduleContext, "beganAtMs"> {
  readonly signal: AbortSignal;
  readonly onValid: VoteCounterOptions["onValid"];
  readonly onProgress: () => void;
}

/**
 * Asks the voters (the validators of the set, one for each BLS key) for signatures, the heaviest first, until the target weight
 * (quorum plus buffer) has signed, the quorum has become impossible, no more signature can come, or the time is up. Rejects with
 * the signal's reason if the signal is aborted.
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
  const schedule = createSchedule({ ...context, beganAtMs: clock.nowMs() });
  const note = (answer: SignatureAnswer) => {
    if (answer.kind !== "signature") {
      schedule.note(answer);
      wakeUp.wake();
      return;
    }
    // A signature changes nothing before the counter has verified it.
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
    // If the quorum is not reached, the caller throws an error that gives the weight that has signed. Signatures that have arrived
    // but are not verified yet may add to that weight, so they are verified first.
    if (ballot.weightWhere(hasSigned) < ballot.requiredWeight) await counter.finish();
  } finally {
    end.abort();
    stopListening();
    signal.removeEventListener("abort", wakeUp.wake);
  }
}
