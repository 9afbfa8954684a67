import type { Clock } from "../../indexer/shared/clock.ts";

export interface RecordingClock extends Clock {
  /** The waits so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** A clock that records waits, and shortens each to at most `maxMs`. Its time includes the full waits. */
export function createRecordingClock(maxMs = 2): RecordingClock {
  const sleeps: number[] = [];
  let skippedMs = 0;
  return {
    sleeps,
    nowMs: () => performance.now() + skippedMs,
    sleep(ms, signal) {
      sleeps.push(ms);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const abort = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(
          () => {
            signal.removeEventListener("abort", abort);
            skippedMs += Math.max(0, ms - maxMs);
            resolve();
          },
          Math.min(ms, maxMs),
        );
        signal.addEventListener("abort", abort, { once: true });
      });
    },
  };
}

export interface ManualClock extends Clock {
  /** The waits that have not ended, in milliseconds. */
  readonly pending: readonly number[];
  advance(ms: number): void;
}

/** A clock that only the test advances. */
export function createManualClock(): ManualClock {
  let now = 0;
  let sleepers: { readonly ms: number; readonly untilMs: number; readonly wake: () => void }[] = [];
  return {
    get pending() {
      return sleepers.map(({ ms }) => ms);
    },
    nowMs: () => now,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        const sleeper = { ms, untilMs: now + ms, wake };
        sleepers.push(sleeper);
        const abort = () => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          reject(signal.reason);
        };
        signal.addEventListener("abort", abort, { once: true });
      }),
    advance(ms) {
      now += ms;
      const due = sleepers.filter(({ untilMs }) => untilMs <= now);
      sleepers = sleepers.filter(({ untilMs }) => untilMs > now);
      for (const { wake } of due) wake();
    },
  };
}
