import { Failure } from "../../core/errors.ts";

/** Places for tasks that run at the same time, and a queue for further ones. */
export interface Slots {
  /**
   * Runs the task when a place is free. Fails with `UNAVAILABLE` if the queue is full, and with the signal's reason if that is
   * aborted before the task starts.
   */
  run<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createSlots(count: number, maxWaiting: number): Slots {
  const waiting = new Set<() => void>();
  let free = count;
  const take = (signal: AbortSignal): Promise<void> => {
    if (free > 0) {
      free--;
      return Promise.resolve();
    }
    if (waiting.size >= maxWaiting)
      throw new Failure(
        "UNAVAILABLE",
        `signatures of ${count} other messages are being collected, and ${maxWaiting} requests wait; try again later`,
      );
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      waiting.add(start);
      signal.addEventListener("abort", leave, { once: true });
    });
  };
  const release = () => {
    const [next] = waiting;
    if (!next) {
      free++;
      return;
    }
    // The place passes to the next task directly.
    waiting.delete(next);
    next();
  };
  return {
    async run(task, signal) {
      signal.throwIfAborted();
      await take(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
