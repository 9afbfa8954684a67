import type { Progress } from "../shared/progress.ts";

/** How often the states of the chains are looked at. */
const INTERVAL_MS = 2_000;
/** After so many intervals without a chain that catches up, garbage is collected again. */
const INTERVALS = 15;

/**
 * Collects garbage each time that no chain catches up any more, and twice a minute from then on, until it is disposed. A process whose chains
 * follow their heads creates garbage slowly, so V8 would keep that of the catching up for a minute or longer; and if hundreds of chains ask
 * their nodes for new blocks, it would keep three times the memory that they need. Does nothing without the option `--expose-gc` of Node.js.
 */
export function collectGarbageOfCatchingUp(
  progress: readonly Pick<Progress, "current">[],
  intervalMs = INTERVAL_MS,
): Disposable {
  let quietIntervals = -1;
  const timer = setInterval(() => {
    const isCatchingUp = progress.some(({ current }) => current.state === "BACKFILLING");
    quietIntervals = isCatchingUp ? -1 : quietIntervals + 1;
    if (!isCatchingUp && quietIntervals % INTERVALS === 0) globalThis.gc?.();
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
