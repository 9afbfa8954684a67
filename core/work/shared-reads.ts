import { currentScope, type RequestScope, runInScope } from "../observability/request-scope.ts";
import { cancelWork, createWork, type Work } from "./work.ts";

interface SharedRead<Result> {
  readonly work: Work;
  readonly result: Promise<Result>;
  /** Number of callers that wait for the result. */
  readers: number;
}

/**
 * Returns a function that reads by key. While a read runs, other callers with the same key get its result too. The read is cancelled
 * when all of them have left (see `Work`), and not when the first one does. A caller outside of requests does not leave.
 */
export function createSharedReads<Key, Result>(read: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  const running = new Map<Key, SharedRead<Result>>();
  const start = (key: Key, scope: RequestScope | undefined): SharedRead<Result> => {
    const work = createWork();
    const forget = () => {
      if (running.get(key) === started) running.delete(key);
    };
    // Later callers must not get the error of a read that is cancelled.
    work.onCancel.add(forget);
    const { requestId = "", isHeavy = false, statements } = scope ?? {};
    const result = runInScope(scope && { requestId, isHeavy, work, statements }, () => read(key)).finally(forget);
    // Callers who leave do not wait for it.
    result.catch(() => {});
    const started: SharedRead<Result> = { work, result, readers: 0 };
    running.set(key, started);
    return started;
  };
  return (key) => {
    const scope = currentScope();
    return join(running.get(key) ?? start(key, scope), scope?.work);
  };
}

/**
 * The same, but each caller gets the result of a read that begins after its call, because the caller needs what has changed until then. One
 * read runs at a time for each key: callers during a read share the next one.
 */
export function createLaterReads<Result>(read: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  /** Number of reads that have begun, and the end of the last one. */
  const begun = new Map<string, number>();
  const ends = new Map<string, Promise<unknown>>();
  const shared = createSharedReads(async (numbered: string): Promise<Result> => {
    const [number = "", key = ""] = numbered.split(" ", 2);
    await ends.get(key);
    begun.set(key, Number(number) + 1);
    const reading = read(key);
    ends.set(
      key,
      reading.catch(() => {}),
    );
    return reading;
  });
  return (key) => shared(`${begun.get(key) ?? 0} ${key}`);
}

/** `createSharedReads` for a single read, without a key. */
export function createSharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  const shared = createSharedReads<null, Result>(read);
  return () => shared(null);
}

function join<Result>(shared: SharedRead<Result>, caller: Work | undefined): Promise<Result> {
  shared.readers++;
  if (!caller) return shared.result;
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
