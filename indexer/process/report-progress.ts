import { isDeepStrictEqual } from "node:util";
import type { Progress, ProgressState } from "../shared/progress.ts";
import type { ReportedProgress } from "./worker-process.ts";

const INTERVAL_MS = 50;
/** A report has all chains, so the reports of a process with hundreds of them are seconds apart. */
const PAUSE_FOR_CHAIN_MS = 4;

/**
 * True if nothing has changed but the time at which the head of the node was seen. That changes with each request for it, and the process
 * that receives the reports does not use it.
 */
function isSame(state: ProgressState, before: ProgressState | undefined): boolean {
  return state === before || isDeepStrictEqual({ ...state, headSeenAt: null }, { ...before, headSeenAt: null });
}

/** If the other process is gone, this one ends too. */
function sendToParent(report: ReportedProgress): void {
  process.send?.(report, undefined, undefined, () => {});
}

/** Sends the progress of chains to the process that has forked this one, now and whenever it changes, until it is disposed. */
export function reportProgress(
  progress: readonly Pick<Progress, "name" | "ids" | "current">[],
  send = sendToParent,
): Disposable {
  let sent: readonly ProgressState[] | null = null;
  let nextAtMs = 0;
  const report = (isLast = false) => {
    if (!isLast && performance.now() < nextAtMs) return;
    const states = progress.map(({ current }) => current);
    nextAtMs = performance.now() + states.length * PAUSE_FOR_CHAIN_MS;
    if (sent?.length === states.length && states.every((state, i) => isSame(state, sent?.[i]))) return;
    sent = states;
    send({ progress: progress.map(({ name, ids, current }) => ({ name, ids, current })) });
  };
  report();
  const timer = setInterval(report, INTERVAL_MS);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      report(true);
    },
  };
}
