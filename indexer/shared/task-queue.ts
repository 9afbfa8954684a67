/** Runs tasks one after the other, in the order of the calls. A task starts at once if no other one runs. */
export function createTaskQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let isRunning = false;
  return async (task) => {
    if (isRunning) await new Promise<void>((start) => waiting.push(start));
    isRunning = true;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next task is running from now on: a later call must not start before it.
      isRunning = next !== undefined;
      next?.();
    }
  };
}
