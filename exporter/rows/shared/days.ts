import type { ReadOptions } from "../../export-source.ts";

const SECONDS_PER_DAY = 86_400;

/** Seconds since the epoch: `start` inclusive, `end` exclusive. Null: no limit. */
export interface TimeRange {
  readonly start: number | null;
  readonly end: number | null;
}

interface Days {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

/** Times of a request's days in UTC, both inclusive, cut to days before `beforeDate`. */
export function timeRange({ firstDate, lastDate }: Days, beforeDate: ReadOptions["beforeDate"] = null): TimeRange {
  const ends = [
    ...(lastDate === null ? [] : [startOf(lastDate) + SECONDS_PER_DAY]),
    ...(beforeDate === null ? [] : [startOf(beforeDate)]),
  ];
  return {
    start: firstDate === null ? null : startOf(firstDate),
    end: ends.length === 0 ? null : Math.min(...ends),
  };
}

const startOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1_000;

/** SQL expression: the UTC day of a timestamp in seconds, counted from the epoch. */
export const dayOf = (timestamp: string): string => `${timestamp} / ${SECONDS_PER_DAY}`;

/** `YYYY-MM-DD` of a day that `dayOf` counted. */
export const dateOfDay = (day: number): string => new Date(day * SECONDS_PER_DAY * 1_000).toISOString().slice(0, 10);

/** ISO 8601 time in UTC of seconds since the epoch, as decimal text. */
export function isoTime(seconds: string): string {
  return `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}Z`;
}
