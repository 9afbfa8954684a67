/** Runs the task repeatedly with a pause before each run. The returned function stops this and waits for the current run. */
export function repeat(task: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  let isStopped = false;
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = task().then(schedule);
    }, pauseMs).unref();
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
