/** Tells the tasks of a chain that there may be work: the chain has another block, or a caller has asked for something. */
export interface WorkSignal {
  /** How often it was notified. */
  readonly count: number;
  notify(): void;
  /** Resolves when the count is not this one, or after this time. Rejects when the signal aborts. */
  untilNotified(count: number, ms: number, signal: AbortSignal): Promise<void>;
}

export function createWorkSignal(): WorkSignal {
  let count = 0;
  const waits = new Set<() => void>();
  return {
    get count() {
      return count;
    },
    notify() {
      count++;
      for (const end of waits) end();
    },
    untilNotified(seen, ms, signal) {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          waits.delete(end);
          if (signal.aborted) reject(signal.reason);
          else resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener("abort", end);
        waits.add(end);
        if (signal.aborted || count !== seen) end();
      });
    },
  };
}
