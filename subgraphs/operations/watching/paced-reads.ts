/** Least time between two reads of the same operation, except for changes of its status. */
const INTERVAL_MS = 250;

/** Decides when changed operations are read. */
export interface PacedReads extends Disposable {
  /** Reads the operation at once if it was not read in the last 250 ms, or if the change is urgent; otherwise later. */
  request(operationId: string, isUrgent: boolean): void;
}

/**
 * Calls `read` at most four times a second for each operation, except for urgent requests. However many operations wait,
 * there is one timer. After it is disposed, it reads nothing.
 */
export function createPacedReads(read: (operationId: string) => void): PacedReads {
  /** Operations in the order in which they were read, with the time in milliseconds until which they rest. */
  const resting = new Map<string, number>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isDisposed = false;

  function readNow(operationId: string): void {
    waiting.delete(operationId);
    // Deleted first, so that the order of the map stays that of the times.
    resting.delete(operationId);
    resting.set(operationId, performance.now() + INTERVAL_MS);
    schedule();
    read(operationId);
  }

  function schedule(): void {
    const [first] = resting.values();
    if (first !== undefined) timer ??= setTimeout(wake, Math.max(1, first - performance.now()));
  }

  function wake(): void {
    timer = undefined;
    const now = performance.now();
    const rested: string[] = [];
    for (const [operationId, until] of resting) {
      if (until > now) break;
      rested.push(operationId);
    }
    for (const operationId of rested) resting.delete(operationId);
    for (const operationId of rested) if (waiting.has(operationId)) readNow(operationId);
    schedule();
  }

  return {
    request(operationId, isUrgent) {
      if (isDisposed) return;
      if (isUrgent || !resting.has(operationId)) readNow(operationId);
      else waiting.add(operationId);
    },
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
    },
  };
}
