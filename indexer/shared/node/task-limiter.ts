import type { LoadLimits } from "./load-limits.ts";

/** Limits how many tasks run at a time. */
export interface TaskLimiter {
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

/** Runs as many tasks as `limits` allows at the moment; the others wait in order. */
export function createTaskLimiter(limits: Pick<LoadLimits, "concurrency">): TaskLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  const startWaiting = () => {
    for (let next = waiting[0]; next && running < limits.concurrency; next = waiting[0]) {
      waiting.shift();
      // Counted before the task wakes, so that no other task takes its place.
      running++;
      next();
    }
  };
  return {
    async run(task) {
      await new Promise<void>((start) => {
        waiting.push(start);
        startWaiting();
      });
      try {
        return await task();
      } finally {
        running--;
        startWaiting();
      }
    },
  };
}
