/** Least time between two reads of the same operation, except for changes of its status. */
const INTERVAL_MS = 250;

/** Decides when changed operations are read. */
export interface ThrottledReads extends Disposable {
  /** Reads the operation at once if it was not read in the last 250 ms, or if the change is urgent; otherwise later. */
  request(operationId: string, isUrgent: boolean): void;
}

/**
 * Calls `read` at most four times a second for each operation, except for urgent requests. However many operations wait,
 * there is one timer. After it is disposed, it reads nothing.
 */
export function createThrottledReads(read: (operationId: string) => void): ThrottledReads {
  /** Time in milliseconds until which each operation is not read again, in the order in which the operations were read. */
  const throttledUntil = new Map<string, number>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isDisposed = false;

  function readNow(operationId: string): void {
    waiting.delete(operationId);
    // Deleted first, so that the order of the map stays that of the times.
    throttledUntil.delete(operationId);
    throttledUntil.set(operationId, performance.now() + INTERVAL_MS);
    schedule();
    read(operationId);
  }

  function schedule(): void {
    const [first] = throttledUntil.values();
    if (first !== undefined) timer ??= setTimeout(onTimer, Math.max(1, first - performance.now()));
  }

  function onTimer(): void {
    timer = undefined;
    const now = performance.now();
    const due: string[] = [];
    for (const [operationId, until] of throttledUntil) {
      if (until > now) break;
      due.push(operationId);
    }
    for (const operationId of due) throttledUntil.delete(operationId);
    for (const operationId of due) if (waiting.has(operationId)) readNow(operationId);
    schedule();
  }

  return {
    request(operationId, isUrgent) {
      if (isDisposed) return;
      if (isUrgent || !throttledUntil.has(operationId)) readNow(operationId);
      else waiting.add(operationId);
    },
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
    },
  };
}
