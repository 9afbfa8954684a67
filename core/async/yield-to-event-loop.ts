import { setImmediate as scheduleImmediate } from "node:timers";
import { setImmediate } from "node:timers/promises";

/** How long CPU-bound work may run before it yields: the same process may be serving requests. */
const MAX_BLOCKING_MS = 10;
/** The time of the first call of `isIterationUsedUp` in this iteration of the event loop, by any caller; null before it. */
let startedAt: number | null = null;

/**
 * Maps items one after the other and yields to the event loop every `maxBlockingMs`, by default every few milliseconds. Rejects with
 * the first failure.
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result> | Result,
  maxBlockingMs: number = MAX_BLOCKING_MS,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    // Other callers may have used up the iteration that was waited for.
    while (isIterationUsedUp(maxBlockingMs)) await setImmediate();
    results.push(await map(item, index));
  }
  return results;
}

/** True if it was called for the first time in this iteration of the event loop more than some time ago. */
function isIterationUsedUp(maxBlockingMs: number): boolean {
  if (startedAt !== null) return performance.now() - startedAt > maxBlockingMs;
  startedAt = performance.now();
  scheduleImmediate(() => {
    startedAt = null;
  });
  return false;
}
