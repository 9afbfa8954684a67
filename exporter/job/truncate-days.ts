import type { DayRows } from "../export-source.ts";

/** The part of an export that one file has. */
export interface Truncation {
  readonly totalRows: number;
  /** First day that the file does not have; null if it has all. */
  readonly nextDate: string | null;
}

/**
 * Truncates an export between two days, so that it has at most `maxRows` rows. A first day that alone has more is exported
 * whole, so that each export makes progress.
 */
export function truncateDays(days: readonly DayRows[], maxRows: number): Truncation {
  let totalRows = 0;
  for (const { date, rows } of days) {
    if (totalRows > 0 && totalRows + rows > maxRows) return { totalRows, nextDate: date };
    totalRows += rows;
  }
  return { totalRows, nextDate: null };
}
