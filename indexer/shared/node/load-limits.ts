/** Requests that are faster than this raise the limits. */
const QUICK_MS = 1_000;
/** Requests that are slower than this lower the limits. */
const SLOW_MS = 5_000;
/**
 * Number of successful full batches after which a node's batch limit is raised again, because the node's refusal of larger
 * batches may have been temporary.
 */
const PROBATION = 50;
/** A batch is full also if it has this number of calls less: the calls for a block, up to three, may not be divided. */
const SPARE_CALLS = 2;

/**
 * Limits of the load on a node. They are raised slowly while the node answers fast, and halved when it is slow or fails (AIMD).
 */
export interface LoadLimits {
  /** Maximum number of requests at a time. */
  readonly concurrency: number;
  /** Maximum number of calls in a request. */
  readonly batchSize: number;
  /** A request of `calls` calls succeeded after `ms`. */
  succeeded(ms: number, calls: number): void;
  /** A request failed, or the node asked for less load. */
  failed(): void;
  /** The node refuses batches of more than `calls` calls (1: all batches). */
  limitBatch(calls: number): void;
}

/** Starts with low limits, so that an unknown node is not overloaded. */
export function createLoadLimits(max: { readonly concurrency: number; readonly batchSize: number }): LoadLimits {
  let concurrency = Math.min(4, max.concurrency);
  let batchSize = Math.min(20, max.batchSize);
  let batchLimit = max.batchSize;
  let probation = PROBATION;
  const halve = () => {
    concurrency = Math.max(1, concurrency / 2);
    batchSize = Math.max(1, batchSize / 2);
  };
  return {
    get concurrency() {
      return Math.floor(concurrency);
    },
    get batchSize() {
      return Math.floor(batchSize);
    },
    succeeded(ms, calls) {
      if (ms > SLOW_MS) return halve();
      if (ms > QUICK_MS) return;
      concurrency = Math.min(max.concurrency, concurrency + 1 / concurrency);
      if (calls + SPARE_CALLS < Math.floor(batchSize)) return;
      if (batchSize >= batchLimit && --probation === 0) {
        batchLimit = grown(batchLimit, max.batchSize);
        probation = PROBATION;
      }
      batchSize = grown(batchSize, batchLimit);
    },
    failed: halve,
    limitBatch(calls) {
      // A refusal of a larger batch, sent earlier, may arrive later.
      batchLimit = Math.max(1, Math.min(batchLimit, calls));
      probation = PROBATION;
      batchSize = Math.min(batchSize, batchLimit);
    },
  };
}

const grown = (size: number, limit: number): number => Math.min(limit, size * 1.1 + 1);
