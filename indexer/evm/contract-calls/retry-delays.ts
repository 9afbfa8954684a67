const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;

/** Keys that must not be retried yet. The delay doubles with each further failure, up to five minutes. */
export interface RetryDelays {
  /** The keys whose delay has not passed. */
  delayed(): string[];
  failed(key: string): void;
  /** Resets the key's failures. */
  succeeded(key: string): void;
}

/** Kept in memory: after a restart, every key may be retried. `firstDelayMs` is the delay after the first failure. */
export function createRetryDelays(firstDelayMs = FIRST_DELAY_MS): RetryDelays {
  const delays = new Map<string, { readonly untilMs: number; readonly delayMs: number }>();
  return {
    delayed: () => [...delays].filter(([, { untilMs }]) => untilMs > performance.now()).map(([key]) => key),
    failed(key) {
      const delayMs = Math.min(MAX_DELAY_MS, 2 * (delays.get(key)?.delayMs ?? firstDelayMs / 2));
      delays.set(key, { untilMs: performance.now() + delayMs, delayMs });
    },
    succeeded: (key) => void delays.delete(key),
  };
}
