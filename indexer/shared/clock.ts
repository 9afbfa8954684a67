import { setTimeout as timeout } from "node:timers/promises";

/** A source of time and delays. Tests use a clock that they control. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  nowMs(): number;
  /** Rejects with the reason of `signal` when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await timeout(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
