import type { Progress } from "../shared/progress.ts";
import type { ReportedProgress } from "./worker-process.ts";

const INTERVAL_MS = 50;
/** A report has all chains, so the reports of a process with hundreds of them are seconds apart. */
const PAUSE_FOR_CHAIN_MS = 4;

/** Sends the progress of chains to the process that has forked this one, now and whenever it changes, until it is disposed. */
export function reportProgress(progress: readonly Progress[]): Disposable {
  let sent: readonly object[] | null = null;
  let nextAtMs = 0;
  const report = (isLast = false) => {
    if (!isLast && performance.now() < nextAtMs) return;
    const states = progress.map(({ current }) => current);
    // A changed state is a new object.
    if (sent?.length === states.length && sent.every((state, i) => state === states[i])) return;
    sent = states;
    nextAtMs = performance.now() + states.length * PAUSE_FOR_CHAIN_MS;
    const message = {
      progress: progress.map(({ name, ids, current }) => ({ name, ids, current })),
    } satisfies ReportedProgress;
    // If the other process is gone, this one ends too.
    process.send?.(message, undefined, undefined, () => {});
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
