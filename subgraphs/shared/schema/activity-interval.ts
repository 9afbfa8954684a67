import type { Interval } from "../../../core/networks/periods.ts";
import { graphEnum } from "./graph-enum.ts";

/** Largest page of a list of periods: the hours of 90 days. */
export const MAX_PERIODS = 2_160;

export const ActivityInterval = graphEnum<Interval>({
  name: "ActivityInterval",
  description: "Length of a period. Periods are in UTC.",
  values: { HOUR: "An hour.", DAY: "A day.", WEEK: "A week, which begins on Monday.", MONTH: "A calendar month." },
});
