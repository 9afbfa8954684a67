/** Lengths of the periods by which the activity of chains is counted. Periods are in UTC; a week begins on Monday. */
export const INTERVALS = ["HOUR", "DAY", "WEEK", "MONTH"] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SECONDS = { HOUR, DAY, WEEK: 7 * DAY } as const;
/** 1970-01-05, the first Monday after the epoch. */
const MONDAY = 4 * DAY;

/** First second of the period that contains `seconds` (both since 1970). */
export function periodStart(interval: Interval, seconds: number): number {
  if (interval === "MONTH") {
    const date = new Date(seconds * 1_000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1_000;
  }
  const first = interval === "WEEK" ? MONDAY : 0;
  const length = SECONDS[interval];
  return first + Math.floor((seconds - first) / length) * length;
}

/** Number of periods from the one that begins at `first` to the one that begins at `last`; 0 if it begins earlier. */
export function periodCount(interval: Interval, first: number, last: number): number {
  if (last < first) return 0;
  if (interval !== "MONTH") return (last - first) / SECONDS[interval] + 1;
  const months = (seconds: number) => {
    const date = new Date(seconds * 1_000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  return months(last) - months(first) + 1;
}

/** First second after the period that begins at `start`. */
export function periodEnd(interval: Interval, start: number): number {
  if (interval !== "MONTH") return start + SECONDS[interval];
  const date = new Date(start * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1_000;
}
