import {
  countPeriods,
  INTERVALS,
  type Interval,
  oldestPeriods,
  type PeriodBounds,
  periodStart,
  periodsIn,
} from "./periods.ts";

const seconds = (text: string): number => Date.parse(text) / 1_000;

/** The period that contains a time. */
const periodOf = (interval: Interval, time: number): PeriodBounds =>
  periodsIn({
    interval,
    from: -Infinity,
    until: time + 1,
    first: -Infinity,
    last: Infinity,
    size: 1,
  })[0] as PeriodBounds;

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
    expect(periodOf(interval, seconds(time))).toEqual({ start: seconds(start), end: seconds(end) });
  });

  it("begins where the one before ends", () => {
    for (const interval of INTERVALS) {
      let start = periodStart(interval, seconds("2023-12-30T22:15:00Z"));
      for (let i = 0; i < 100; i++) {
        const { end } = periodOf(interval, start);
        expect([periodStart(interval, end - 1), periodStart(interval, end)]).toEqual([start, end]);
        start = end;
      }
    }
  });
});

describe("a list of periods", () => {
  const DAY = 86_400;
  const first = seconds("2026-11-20T00:00:00Z");
  const last = seconds("2026-11-24T00:00:00Z");
  const rangeOf = (from: number, until: number, size = 10) =>
    ({ interval: "DAY", from, until, first, last, size }) as const;
  const list = (from: number, until: number, size?: number) =>
    periodsIn(rangeOf(from, until, size)).map(({ start }) => (start - first) / DAY);

  it("goes from the last to the first period, within its bounds and its size", () => {
    expect(list(0, Infinity)).toEqual([4, 3, 2, 1, 0]);
    expect(list(first + 1, last)).toEqual([3, 2, 1]);
    expect(list(first + DAY, last + 1, 2)).toEqual([4, 3]);
    expect([list(last + 1, Infinity), list(0, first), list(last, first)]).toEqual([[], [], []]);
  });

  it("has as many periods as its count, and its oldest ones end where newer ones begin", () => {
    const times = [0, first, first + 1, first + DAY, last - 1, last, last + 1, last + 2 * DAY];
    for (const from of times)
      for (const until of times) {
        const all = list(from, until);
        expect([from, until, countPeriods(rangeOf(from, until))]).toEqual([from, until, all.length]);
        for (const size of [0, 1, 2, 5, 6]) {
          const oldest = oldestPeriods(rangeOf(from, until, size));
          expect(list(from, oldest.until, size)).toEqual(all.slice(Math.max(0, all.length - size)));
          expect([from, until, size, oldest.hasMore]).toEqual([from, until, size, all.length > size]);
        }
      }
  });

  it("counts months across years", () => {
    const bounds = { first: seconds("2025-11-01T00:00:00Z"), last: seconds("2027-02-01T00:00:00Z") };
    expect(countPeriods({ interval: "MONTH", from: 0, until: Infinity, ...bounds })).toBe(16);
  });

  it("is empty from the last time that a date can have", () => {
    const latest = 8_640_000_000_000;
    for (const interval of INTERVALS) {
      const range = { interval, from: latest, until: latest, first, last, size: 2 };
      expect([countPeriods(range), periodsIn(range), oldestPeriods(range)]).toEqual([
        0,
        [],
        { until: latest, hasMore: false },
      ]);
    }
  });
});
