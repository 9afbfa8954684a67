import { mapYielding } from "../../core/async/yield-to-event-loop.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { NodeUnavailable } from "./node/errors.ts";

/** The results of the items of a batch that come before its first bad item. */
export interface GoodPrefix<Result> {
  readonly good: readonly Result[];
  /** What is wrong with the item after them; null if no item is bad. */
  readonly failure: BadUpstreamData | NodeUnavailable | null;
}

/**
 * Maps items one after the other like `mapYielding`, up to the first bad one: an item for which `map` throws `BadUpstreamData` or
 * `NodeUnavailable`. The items before it can be stored, so that one bad item never takes its whole batch. Rejects with any other error.
 */
export async function mapGoodPrefix<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result> | Result,
  maxBlockingMs?: number,
): Promise<GoodPrefix<Result>> {
  const good: Result[] = [];
  const add = async (item: Item, index: number) => void good.push(await map(item, index));
  try {
    await mapYielding(items, add, maxBlockingMs);
  } catch (error) {
    if (!(error instanceof BadUpstreamData || error instanceof NodeUnavailable)) throw error;
    return { good, failure: error };
  }
  return { good, failure: null };
}

/** The results before the first bad item; throws its failure if it is the first item. The caller asks for the bad item again. */
export function goodOrThrow<Result>({ good, failure }: GoodPrefix<Result>): readonly Result[] {
  if (failure && good.length === 0) throw failure;
  return good;
}

/** Decodes an item of a batch. If this fails with `BadUpstreamData`, the message names the item. */
export function decodeNamed<Result>(nameOf: () => string, decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    throw new BadUpstreamData(`${nameOf()} cannot be decoded: ${error.message}`, error.detail);
  }
}
