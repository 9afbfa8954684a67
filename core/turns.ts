import { setImmediate } from "node:timers/promises";

/** Longest that work is done in one piece: the same process may have requests to answer. */
const PIECE_MS = 10;

/** Maps items one after the other, and every few milliseconds lets the rest of the process have its turn. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let startedAt = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - startedAt > PIECE_MS) {
      await setImmediate();
      startedAt = performance.now();
    }
    results.push(await map(item, index));
  }
  return results;
}
