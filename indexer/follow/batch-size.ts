/**
 * Time that writing one batch should take. Three batches are in memory: one is written, one prepared, one fetched. Larger batches take
 * less processor time for each block, and more memory (decision 014).
 */
const TARGET_MS = 400;
const FIRST = 20;

/** Number of blocks of the next batch, which is adapted to the time that writing the last one took. */
export interface BatchSize {
  readonly current: number;
  /** Writes a batch of `count` blocks. Default: of the current size. */
  measure<Result>(write: () => Promise<Result>, count?: number): Promise<Result>;
}

/** A size from `min` (default: 1) to `max`. */
export function createBatchSize(max: number, min = 1): BatchSize {
  let current = Math.min(max, Math.max(min, FIRST));
  return {
    get current() {
      return current;
    },
    async measure(write, count = current) {
      const startedAt = performance.now();
      const result = await write();
      const factor = Math.min(2, Math.max(0.5, TARGET_MS / Math.max(1, performance.now() - startedAt)));
      current = Math.min(max, Math.max(min, Math.round(count * factor)));
      return result;
    },
  };
}
