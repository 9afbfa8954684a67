/** What `task` gives, or what `late` gives when that takes longer. The signal is aborted then; what still comes is dropped. */
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
