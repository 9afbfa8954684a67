import type { DayRows } from "../export-source.ts";

/** The part of an export that one file holds. */
export interface Cut {
  readonly totalRows: number;
  /** First day that the file does not hold; null if it holds all. */
  readonly nextDate: string | null;
}

/**
 * Cuts an export between two days, so that it has at most `maxRows` rows. A first day that alone has more is exported
 * whole, so that each export makes progress.
 */
export function cutDays(days: readonly DayRows[], maxRows: number): Cut {
  let totalRows = 0;
  for (const { date, rows } of days) {
    if (totalRows > 0 && totalRows + rows > maxRows) return { totalRows, nextDate: date };
    totalRows += rows;
  }
  return { totalRows, nextDate: null };
}
