/**
 * Runs tasks with limited concurrency. Waiting tasks start in the order in which they arrived. Rejects with the signal's reason if
 * the signal is aborted before the task starts, and with `fullError` of the queue if the queue is full.
 */
export type ConcurrencyLimit = <Result>(task: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** A limit for the tasks that wait. Without one, any number may wait. */
export interface QueueLimit {
  readonly maxWaiting: number;
  /** Makes the error for a task that finds the queue full. */
  readonly fullError: () => Error;
}

export function createConcurrencyLimit(maxConcurrent: number, queue?: QueueLimit): ConcurrencyLimit {
  const waiting = new Set<() => void>();
  let free = maxConcurrent;
  const wait = (signal?: AbortSignal): Promise<void> => {
    if (queue && waiting.size >= queue.maxWaiting) throw queue.fullError();
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  };
  const release = () => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    // The slot passes to the next task directly.
    waiting.delete(next);
    next();
  };
  return async (task, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await wait(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}
