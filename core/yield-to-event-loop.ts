import { setImmediate as scheduleImmediate } from "node:timers";
import { setImmediate } from "node:timers/promises";

/** How long CPU-bound work may run before it yields: the same process may be serving requests. */
const MAX_BLOCKING_MS = 10;
/** When the first mapped item of this iteration of the event loop began; null before that. Shared by all callers. */
let iterationStartedAt: number | null = null;

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

function isIterationUsedUp(maxBlockingMs: number): boolean {
  if (iterationStartedAt !== null) return performance.now() - iterationStartedAt > maxBlockingMs;
  iterationStartedAt = performance.now();
  scheduleImmediate(() => {
    iterationStartedAt = null;
  });
  return false;
}

/** Returns a function that calls functions later, in their order, one in each iteration of the event loop. */
export function createImmediates(): (call: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = () => {
    const call = waiting.shift();
    if (waiting.length > 0) scheduleImmediate(next);
    call?.();
  };
  return (call) => {
    waiting.push(call);
    if (waiting.length === 1) scheduleImmediate(next);
  };
}
