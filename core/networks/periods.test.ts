import { INTERVALS, type Interval, periodEnd, periodStart } from "./periods.ts";

const seconds = (text: string): number => Date.parse(text) / 1_000;

describe("the period of a time", () => {
  it.each<[interval: Interval, time: string, start: string, end: string]>([
    ["HOUR", "2026-11-22T14:59:59Z", "2026-11-22T14:00:00Z", "2026-11-22T15:00:00Z"],
    ["HOUR", "2026-11-22T15:00:00Z", "2026-11-22T15:00:00Z", "2026-11-22T16:00:00Z"],
    ["DAY", "2026-12-31T23:59:59Z", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["WEEK", "2026-11-22T23:59:59Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"],
    ["WEEK", "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"],
    ["WEEK", "1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"],
    ["MONTH", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["MONTH", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ])("%s of %s begins at %s and ends before %s", (interval, time, start, end) => {
    expect(periodStart(interval, seconds(time))).toBe(seconds(start));
    expect(periodEnd(interval, seconds(start))).toBe(seconds(end));
  });

  it("begins where the one before ends", () => {
    for (const interval of INTERVALS) {
      let start = periodStart(interval, seconds("2023-12-30T22:15:00Z"));
      for (let i = 0; i < 100; i++) {
        const end = periodEnd(interval, start);
        expect([periodStart(interval, end - 1), periodStart(interval, end)]).toEqual([start, end]);
        start = end;
      }
    }
  });
});
