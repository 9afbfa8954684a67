/** Where heads stand: all at the recorded end, or as in life since a moment (`now` is the clock, in ms since 1970). */
export type HeadMode = "full" | { readonly startedAtMs: number; readonly now?: () => number };

/** Share of a chain that is there when its life starts. */
const SHARE_AT_START = 0.75;
const MIN_GAP_MS = 500;
const MAX_GAP_MS = 4000;

/**
 * Height of the head after so many milliseconds of life. The head starts at 75 % of the chain and moves block by block
 * with the recorded gaps, each held between 0.5 s and 4 s, to the end, where it stays. Nothing but the elapsed time
 * counts, so a demo that is started again continues. `timesMs` are the times of all blocks by height.
 */
export function headAfter(timesMs: readonly number[]): (elapsedMs: number) => number {
  const start = Math.floor((timesMs.length - 1) * SHARE_AT_START);
  const arrivals = arrivalsAfter(timesMs, start);
  return (elapsedMs) => start + countUpTo(arrivals, elapsedMs);
}

/** Elapsed milliseconds at which the blocks above `start` appear. */
function arrivalsAfter(timesMs: readonly number[], start: number): number[] {
  let elapsedMs = 0;
  return timesMs.slice(start + 1).map((timeMs, at) => {
    const gapMs = timeMs - (timesMs[start + at] ?? timeMs);
    elapsedMs += Math.min(Math.max(gapMs, MIN_GAP_MS), MAX_GAP_MS);
    return elapsedMs;
  });
}

function countUpTo(sorted: readonly number[], limit: number): number {
  const beyond = sorted.findIndex((value) => value > limit);
  return beyond < 0 ? sorted.length : beyond;
}
