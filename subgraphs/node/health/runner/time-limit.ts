/**
 * Returns the result of `task`, or the result of `late` if the time limit is exceeded. In the second case, the signal is
 * aborted and the later result of `task` is ignored.
 */
export async function withinLimit<Result>(
  task: (signal: AbortSignal) => Promise<Result>,
  timeLimitMs: number,
  late: () => Result | Promise<never>,
): Promise<Result> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<Result>((done) => {
    timer = setTimeout(() => {
      done(late());
      limit.abort();
    }, timeLimitMs);
  });
  try {
    return await Promise.race([task(limit.signal), overdue]);
  } finally {
    clearTimeout(timer);
  }
}
