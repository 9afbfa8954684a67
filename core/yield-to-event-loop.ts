import { setImmediate as onTurn } from "node:timers";
import { setImmediate } from "node:timers/promises";

/** Longest that work is done in one piece: the same process may have requests to answer. */
const PIECE_MS = 10;
/** When the first of all that is mapped in this turn of the process began; null before that. */
let startedAt: number | null = null;

/** Maps items one after the other, and every few milliseconds lets the rest of the process have its turn. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    // Others may have had the turn that was waited for.
    while (isOver()) await setImmediate();
    results.push(await map(item, index));
  }
  return results;
}

/** Whether this turn has been long enough, with all that is mapped in it. */
function isOver(): boolean {
  if (startedAt !== null) return performance.now() - startedAt > PIECE_MS;
  startedAt = performance.now();
  onTurn(() => {
    startedAt = null;
  });
  return false;
}
