/**
 * Position of the heads: at the end of the recording, or a position that advances with the time since `startedAtMs` (`now` is
 * the clock, in ms since 1970).
 */
export type HeadMode = "full" | { readonly startedAtMs: number; readonly now?: () => number };

/** The part of a chain that is visible at the start. */
const SHARE_AT_START = 0.75;
const MIN_GAP_MS = 500;
const MAX_GAP_MS = 4000;

/**
 * Returns the height of the head by elapsed milliseconds. The head starts at 75 % of the chain and advances block by block
 * with the recorded gaps, each limited to 0.5 to 4 s, until the end. It depends on the elapsed time only, so a restarted demo
 * continues. `timesMs` are the times of all blocks by height.
 */
export function headAfter(timesMs: readonly number[]): (elapsedMs: number) => number {
  const start = startOf(timesMs);
  const arrivals = arrivalsOf(timesMs).slice(start + 1);
  return (elapsedMs) => start + countUpTo(arrivals, elapsedMs);
}

/** Elapsed milliseconds at which each block becomes visible, by height; 0 for those that are visible at the start. */
export function arrivalsOf(timesMs: readonly number[]): number[] {
  const start = startOf(timesMs);
  let elapsedMs = 0;
  return timesMs.map((timeMs, height) => {
    if (height <= start) return 0;
    const gapMs = timeMs - (timesMs[height - 1] ?? timeMs);
    elapsedMs += Math.min(Math.max(gapMs, MIN_GAP_MS), MAX_GAP_MS);
    return elapsedMs;
  });
}

function startOf(timesMs: readonly number[]): number {
  return Math.floor((timesMs.length - 1) * SHARE_AT_START);
}

function countUpTo(sorted: readonly number[], limit: number): number {
  const beyond = sorted.findIndex((value) => value > limit);
  return beyond < 0 ? sorted.length : beyond;
}
