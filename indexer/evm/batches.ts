import { mapYielding } from "../../core/async/yield-to-event-loop.ts";
import { type GoodPrefix, mapGoodPrefix } from "../shared/good-prefix.ts";

/** While a batch is written, the next is prepared. PostgreSQL would wait for this process to end a longer piece of work. */
const MAX_BLOCKING_MS = 1;

/** Maps the blocks of a batch one after the other, in short pieces of work between which other batches are written. */
export function mapBlocks<Block, Result>(
  blocks: readonly Block[],
  map: (block: Block, index: number) => Promise<Result> | Result,
): Promise<Result[]> {
  return mapYielding(blocks, map, MAX_BLOCKING_MS);
}

/** Like `mapBlocks`, up to the first bad block. */
export function mapGoodBlocks<Block, Result>(
  blocks: readonly Block[],
  map: (block: Block, index: number) => Promise<Result> | Result,
): Promise<GoodPrefix<Result>> {
  return mapGoodPrefix(blocks, map, MAX_BLOCKING_MS);
}
