import { setMaxListeners } from "node:events";
import type { ConcurrencyLimit } from "../../core/async/concurrency-limit.ts";
import type { AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { CollectionCaller, Quorum, SignatureSource } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";

/** One collection, and the callers who wait for it. */
interface Run {
  readonly result: Promise<AggregationResult>;
  readonly callers: Set<CollectionCaller["onProgress"]>;
  readonly end: AbortController;
  latest: AggregationProgress | null;
}

/**
 * Runs one collection for all callers who want the same aggregate at the same time, and tells them each progress once. The
 * collection ends early only when all callers have left. `limit` limits how many collections run at the same time.
 */
export function shareCollections(source: SignatureSource, limit: ConcurrencyLimit): SignatureSource {
  const runs = new Map<string, Run>();
  const start = (name: string, task: SigningTask, quorum: Quorum): Run => {
    const end = new AbortController();
    setMaxListeners(0, end.signal);
    const callers: Run["callers"] = new Set();
    const onProgress = (progress: AggregationProgress) => {
      if (run.latest && isSameProgress(run.latest, progress)) return;
      run.latest = progress;
      for (const caller of callers) caller(progress);
    };
    // The collection begins in a later microtask, because `onProgress` needs `run`.
    const result = Promise.resolve()
      .then(() => limit(() => source.collect(task, quorum, { signal: end.signal, onProgress }), end.signal))
      .finally(() => forget(name, run));
    // A rejection that no caller waits for any more is of no interest.
    result.catch(() => {});
    const run: Run = { result, callers, end, latest: null };
    runs.set(name, run);
    return run;
  };
  const forget = (name: string, run: Run) => {
    if (runs.get(name) === run) runs.delete(name);
  };
  return {
    async collect(task, quorum, { signal, onProgress }) {
      signal.throwIfAborted();
      const name = nameOf(task, quorum);
      const run = runs.get(name) ?? start(name, task, quorum);
      // The same function may be passed by several callers.
      const caller = (progress: AggregationProgress) => onProgress(progress);
      run.callers.add(caller);
      if (run.latest) caller(run.latest);
      try {
        return await untilAborted(run.result, signal);
      } finally {
        run.callers.delete(caller);
        if (run.callers.size === 0) {
          forget(name, run);
          run.end.abort(new Error("no caller waits for the signatures"));
        }
      }
    },
  };
}

/** Within one collection, nothing else changes. */
function isSameProgress(one: AggregationProgress, other: AggregationProgress): boolean {
  return (["state", "connectedWeight", "signedWeight", "refusedWeight"] as const).every(
    (name) => one[name] === other[name],
  );
}

function nameOf({ message, networkId, justification, signingSubnetId, pChainHeight }: SigningTask, quorum: Quorum) {
  const { quorumPercentage, quorumPercentageBuffer } = quorum;
  const parts = [networkId, message.messageId, Buffer.from(justification).toString("hex"), signingSubnetId];
  return [...parts, pChainHeight, quorumPercentage, quorumPercentageBuffer].join(":");
}

function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
