import type { DayRows } from "../../export-source.ts";
import { dateOfDay } from "./days.ts";

/** Rows of a chain on a day that `dayOf` counted, both as decimal text. */
export interface DayCount {
  readonly day: string;
  readonly rows: string;
}

/** Adds up the rows of each day, in order. */
export function sumDays(counts: readonly DayCount[]): DayRows[] {
  const byDay = new Map<number, number>();
  for (const { day, rows } of counts) byDay.set(Number(day), (byDay.get(Number(day)) ?? 0) + Number(rows));
  return [...byDay].sort(([a], [b]) => a - b).map(([day, rows]) => ({ date: dateOfDay(day), rows }));
}
