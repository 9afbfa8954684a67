/** The worker stops. Another attempt continues the job. */
export class JobStopped extends Error {}

/** The operation is cancelled, has ended, or was deleted. */
export class JobCancelled extends Error {}

/** Settles like the promise, but rejects with the signal's reason as soon as the signal is aborted. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // The promise may reject after the signal, when nothing awaits it any more.
  promise.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, end } = rejectionOnAbort(signal);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    end();
  }
}

function rejectionOnAbort(signal: AbortSignal): { readonly promise: Promise<never>; readonly end: () => void } {
  let listener = () => {};
  const promise = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason);
    signal.addEventListener("abort", listener, { once: true });
  });
  return { promise, end: () => signal.removeEventListener("abort", listener) };
}

/**
 * Yields the items of an iterable. When the signal is aborted, throws its reason at once and does not wait for the iterable,
 * which may wait for a lost connection.
 */
export async function* untilAborted<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    const returned = Promise.resolve(iterator.return?.()).catch(() => {});
    if (!signal.aborted) await orAborted(returned, signal).catch(() => {});
  }
}
