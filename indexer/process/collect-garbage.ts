import type { Progress } from "../shared/progress.ts";

/** How often the states of the chains are looked at. */
const INTERVAL_MS = 2_000;

/**
 * Collects garbage each time that no chain catches up any more, until it is disposed. A process whose chains follow their heads creates little garbage, so
 * V8 would keep that of the catching up for a minute or longer. Does nothing without the option `--expose-gc` of Node.js.
 */
export function collectGarbageOfCatchingUp(
  progress: readonly Pick<Progress, "current">[],
  intervalMs = INTERVAL_MS,
): Disposable {
  let wasCatchingUp = true;
  const timer = setInterval(() => {
    const isCatchingUp = progress.some(({ current }) => current.state === "BACKFILLING");
    if (wasCatchingUp && !isCatchingUp) globalThis.gc?.();
    wasCatchingUp = isCatchingUp;
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
