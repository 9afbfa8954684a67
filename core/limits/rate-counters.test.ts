import { createWindowCounters } from "./rate-counters.ts";

describe("local rate counters", () => {
  it("add up units by caller and window", () => {
    const counters = createWindowCounters();
    expect(counters.add("a", 1, 5)).toBe(5);
    expect(counters.add("a", 1, 5)).toBe(10);
    expect(counters.add("b", 1, 1)).toBe(1);
    expect(counters.add("a", 2, 1)).toBe(1);
    expect(counters.add("a", 2, -1)).toBe(0);
  });

  it("return new units, and add units to the sums of all processes", () => {
    const counters = createWindowCounters();
    counters.add("a", 1, 5);
    expect(counters.take(1)).toEqual([{ caller: "a", window: 1, units: 5 }]);
    expect(counters.take(1)).toEqual([]);
    expect(counters.add("a", 1, 2)).toBe(7);
    counters.setSums([{ caller: "a", window: 1, units: 25 }]);
    expect(counters.add("a", 1, 0)).toBe(27);
    counters.setSums([
      { caller: "a", window: 2, units: 99 },
      { caller: "c", window: 1, units: 99 },
    ]);
    expect(counters.add("a", 1, 0)).toBe(27);
  });

  it("return units that could not be sent again, once", () => {
    const counters = createWindowCounters();
    counters.add("a", 1, 5);
    counters.restore(counters.take(1));
    expect(counters.add("a", 1, 1)).toBe(6);
    expect(counters.take(1)).toEqual([{ caller: "a", window: 1, units: 6 }]);
  });

  it("remove callers of past windows", () => {
    const counters = createWindowCounters();
    counters.add("a", 1, 5);
    expect(counters.take(2)).toEqual([]);
    expect(counters.add("a", 1, 1)).toBe(1);
  });
});
