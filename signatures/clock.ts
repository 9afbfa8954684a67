/** Time and timers. Tests pass a clock that only they advance. */
export interface Clock {
  /** Milliseconds since some moment. It never goes back. */
  nowMs(): number;
  /** The time of day, in Unix seconds. */
  unixSeconds(): number;
  /** Runs a function once, after a time. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  unixSeconds: () => Math.floor(Date.now() / 1_000),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
