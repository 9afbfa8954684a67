import { mapYielding } from "../../core/async/yield-to-event-loop.ts";
import { type GoodPrefix, mapGoodPrefix } from "../shared/good-prefix.ts";

/**
 * Time that writing one batch should take. The size of the batches is adapted to it. Three batches are in memory: one is written, one
 * prepared, one fetched. Larger batches take less processor time for each block, and more memory (decision 014).
 */
const BATCH_TARGET_MS = 400;
/** While a batch is written, the next is prepared. PostgreSQL would wait for this process to end a longer piece of work. */
const MAX_BLOCKING_MS = 1;

/** Number of blocks of the next batch, after one of `size` blocks took `tookMs` to write. From 1 to `max`. */
export function nextBatchSize(size: number, tookMs: number, max: number): number {
  const factor = Math.min(2, Math.max(0.5, BATCH_TARGET_MS / Math.max(1, tookMs)));
  return Math.min(max, Math.max(1, Math.round(size * factor)));
}

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
