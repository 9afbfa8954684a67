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

/** First second after the period that begins at `start`. */
function periodEnd(interval: Interval, start: number): number {
  if (interval !== "MONTH") return start + SECONDS[interval];
  const date = new Date(start * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1_000;
}

/** A list of periods without gaps. Times are in seconds. */
interface PeriodList {
  readonly interval: Interval;
  /** Only periods that start at `from` or later and before `until`. */
  readonly from: number;
  readonly until: number;
  /** Start of the first and of the last period that has figures. */
  readonly first: number;
  readonly last: number;
}

/** A list of periods of which at most `size` are read. */
interface PeriodRange extends PeriodList {
  readonly size: number;
}

export interface PeriodBounds {
  /** First second of the period. */
  readonly start: number;
  /** First second after the period. */
  readonly end: number;
}

/** The newest periods of a list, newest first. */
export function periodsIn({ interval, from, until, first, last, size }: PeriodRange): PeriodBounds[] {
  const periods: PeriodBounds[] = [];
  const oldest = Math.max(first, from);
  let start = until > last ? last : periodStart(interval, until - 1);
  while (start >= oldest && periods.length < size) {
    periods.push({ start, end: periodEnd(interval, start) });
    start = periodStart(interval, start - 1);
  }
  return periods;
}

/** The start of the oldest period of a list. If no period begins at `from` or later: Infinity. */
function oldestStart({ interval, from, first, last }: Omit<PeriodList, "until">): number {
  if (from > last) return Infinity; // `Date` knows no month after the last possible `from`
  const start = periodStart(interval, from);
  return Math.max(first, start === from ? start : periodEnd(interval, start));
}

/** Where the oldest periods of a list end: they start before `until`. `hasMore` is true if the list has periods after them. */
export function oldestPeriods({ until, size, ...list }: PeriodRange): {
  readonly until: number;
  readonly hasMore: boolean;
} {
  const { interval, last } = list;
  let start = oldestStart(list);
  for (let count = 0; count < size && start <= last && start < until; count++) start = periodEnd(interval, start);
  return { until: Math.min(start, until), hasMore: start <= last && start < until };
}

/** Number of the periods of a list. */
export function countPeriods({ until, ...list }: PeriodList): number {
  const { interval, last } = list;
  return periodCount(interval, oldestStart(list), until > last ? last : periodStart(interval, until - 1));
}

/** Number of periods from the one that begins at `first` to the one that begins at `last`; 0 if it begins earlier. */
function periodCount(interval: Interval, first: number, last: number): number {
  if (last < first) return 0;
  if (interval !== "MONTH") return (last - first) / SECONDS[interval] + 1;
  const months = (seconds: number) => {
    const date = new Date(seconds * 1_000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  return months(last) - months(first) + 1;
}
