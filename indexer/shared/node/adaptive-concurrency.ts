/** Below this a request is quick: there is room for more. */
const QUICK_MS = 1_000;
/** Above this a request is slow: ask for less at once. */
const SLOW_MS = 5_000;
/** So many full batches in a row make a limit worth another look: what refused may have been a bad moment. */
const PROBATION = 50;

/** How much is asked of a node at once. Grows slowly while it keeps up, shrinks quickly when it does not (AIMD). */
export interface Pace {
  /** Requests that may be under way. */
  readonly concurrency: number;
  /** Calls that a request may hold. */
  readonly batchSize: number;
  /** A request of `calls` calls went well after `ms`. */
  succeeded(ms: number, calls: number): void;
  /** A request failed, or the node asked for less. */
  failed(): void;
  /** The node takes no batches of more than `calls` calls (1: none at all). */
  limitBatch(calls: number): void;
}

/** Begins low, so that an unknown node is not flooded. */
export function createPace(max: { readonly concurrency: number; readonly batchSize: number }): Pace {
  let concurrency = Math.min(4, max.concurrency);
  let batchSize = Math.min(20, max.batchSize);
  let batchLimit = max.batchSize;
  let probation = PROBATION;
  const shrink = () => {
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
      if (ms > SLOW_MS) return shrink();
      if (ms > QUICK_MS) return;
      concurrency = Math.min(max.concurrency, concurrency + 1 / concurrency);
      if (calls < Math.floor(batchSize)) return;
      if (batchSize >= batchLimit && --probation === 0) {
        batchLimit = grown(batchLimit, max.batchSize);
        probation = PROBATION;
      }
      batchSize = grown(batchSize, batchLimit);
    },
    failed: shrink,
    limitBatch(calls) {
      // Answers to larger requests that were under way may come later than this one.
      batchLimit = Math.max(1, Math.min(batchLimit, calls));
      probation = PROBATION;
      batchSize = Math.min(batchSize, batchLimit);
    },
  };
}

const grown = (size: number, limit: number): number => Math.min(limit, size * 1.1 + 1);
