/** Later than every block and every period. It is the last time that `Date` knows, in seconds. */
export const LATEST = 8_640_000_000_000;

/** A time in seconds from decimal text, at most `LATEST`; `absent` if there is no text. */
export function secondsOf(time: string | null | undefined, absent: number): number {
  return time ? Math.min(Number(time), LATEST) : absent;
}
