import type { Clock } from "../../../signatures/clock.ts";

export interface ManualClock extends Clock {
  /** Timers that have not run, in milliseconds from now. */
  readonly timers: readonly number[];
  /** Moves the time on, and runs the timers that are due, in their order. */
  advance(ms: number): void;
}

/** A clock that only the test advances. It begins at this Unix time. */
export function createManualClock(unixSeconds: number): ManualClock {
  let nowMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((one, other) => one.dueMs - other.dueMs)[0];
  return {
    nowMs: () => nowMs,
    unixSeconds: () => unixSeconds + Math.floor(nowMs / 1_000),
    after(ms, run) {
      const timer = { dueMs: nowMs + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get timers() {
      return [...timers].map(({ dueMs }) => dueMs - nowMs);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let next = nextDue(untilMs); next; next = nextDue(untilMs)) {
        timers.delete(next);
        nowMs = Math.max(nowMs, next.dueMs);
        next.run();
      }
      nowMs = untilMs;
    },
  };
}
