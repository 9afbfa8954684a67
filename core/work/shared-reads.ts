import { cancelWork, createWork, type Work } from "./work.ts";

interface SharedRead<Result> {
  readonly work: Work;
  readonly result: Promise<Result>;
  /** Number of callers that wait for the result. */
  readers: number;
}

/**
 * Returns a function that reads by key for some work. While a read runs, other callers with the same key get its result too. The read is
 * cancelled when the work of all of them is cancelled, and not when that of the first one is.
 */
export function createSharedReads<Key, Result>(
  read: (key: Key, work: Work) => Promise<Result>,
): (key: Key, work: Work) => Promise<Result> {
  const running = new Map<Key, SharedRead<Result>>();
  const start = (key: Key, { costClass }: Work): SharedRead<Result> => {
    const work = createWork("", costClass);
    const forget = () => {
      if (running.get(key) === started) running.delete(key);
    };
    // Later callers must not get the error of a read that is cancelled.
    work.onCancel.add(forget);
    const result = read(key, work).finally(forget);
    // Callers who leave do not wait for it.
    result.catch(() => {});
    const started: SharedRead<Result> = { work, result, readers: 0 };
    running.set(key, started);
    return started;
  };
  return (key, work) => join(running.get(key) ?? start(key, work), work);
}

function join<Result>(shared: SharedRead<Result>, caller: Work): Promise<Result> {
  shared.readers++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      shared.readers--;
      const reason = caller.reason as NonNullable<Work["reason"]>; // set before `onCancel` is called
      if (shared.readers === 0) cancelWork(shared.work, reason);
      reject(reason);
    };
    if (caller.reason) return leave();
    caller.onCancel.add(leave);
    shared.result.finally(() => caller.onCancel.delete(leave)).then(resolve, reject);
  });
}
