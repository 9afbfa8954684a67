import { ConfigError, loadConfig } from "../../../../core/config/config.ts";
import { goDurationMs } from "../../../../core/config/settings/go-duration.ts";
import { epochNs, recordedHealth } from "../../../../test/support/recorded/recorded-health.ts";
import { goDuration, goTime } from "./go-format.ts";

describe("durations and times as Go prints them", () => {
  it.each([
    [0n, "0s"],
    [1n, "1ns"],
    [999n, "999ns"],
    [1_000n, "1µs"],
    [1_100n, "1.1µs"],
    [865_891_575n, "865.891575ms"],
    [1_053_500_770n, "1.05350077s"],
    [60_000_000_000n, "1m0s"],
    [90_000_000_000n, "1m30s"],
    [3_600_000_000_000n, "1h0m0s"],
    [360_000_000_000_001n, "100h0m0.000000001s"],
  ])("%s ns are %s", (ns, text) => {
    expect(goDuration(ns)).toBe(text);
  });

  it.each([
    [0n, "1970-01-01T00:00:00Z"],
    [1_795_248_161_865_167_554n, "2026-11-21T08:02:41.865167554Z"],
    [1_795_248_161_865_167_500n, "2026-11-21T08:02:41.8651675Z"],
    [1_795_248_161_000_000_000n, "2026-11-21T08:02:41Z"],
    [1_795_248_161_000_000_001n, "2026-11-21T08:02:41.000000001Z"],
    [1_795_248_160_100_000_000n, "2026-11-21T08:02:40.1Z"],
  ])("%s ns after the epoch are %s", (ns, text) => {
    expect(goTime(ns)).toBe(text);
  });

  it("of a real node are the same after parsing and printing", () => {
    const text = JSON.stringify(recordedHealth("health-start-2s").map(({ checks }) => checks));
    const durations = [...new Set([...text.matchAll(/"timeSinceLastMsg\w+":"([^"]+)"/g)].map(([, one = ""]) => one))];
    const times = [...new Set([...text.matchAll(/"timestamp":"(2[^"]+)"/g)].map(([, one = ""]) => one))];
    expect([durations.length > 20, times.length > 100]).toEqual([true, true]);
    expect(durations.map((one) => goDuration(nanosecondsOf(one)))).toEqual(durations);
    expect(times.map((one) => goTime(epochNs(one)))).toEqual(times);
  });

  it.each([
    ["2s", 2_000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1.5s", 1_500],
    ["1h0m0.5s", 3_600_500],
    ["+2s", 2_000],
    ["100ms", 100],
    ["596h", 2_145_600_000],
  ])("the setting %s is %s ms", (text, ms) => {
    expect(goDurationMs(text)).toBe(ms);
    expect(loadConfig({}, ["--health-check-frequency", text]).nodeInterface.healthCheckFrequency).toBe(text);
  });

  it.each(["2", "s", "2 s", "-2s", "2s3", "two", "1e3s", "0s", "99ms", "+", "++2s", "597h"])(
    "the setting %s is refused",
    (text) => {
      const load = () => loadConfig({}, [`--health-check-frequency=${text}`]);
      expect(load).toThrow(ConfigError);
      expect(load).toThrow(/healthCheckFrequency.*must be a duration/);
      expect(load).toThrow(JSON.stringify(text));
    },
  );
});

/** Independent of the code: the sum of all units in nanoseconds, from digits. */
function nanosecondsOf(text: string): bigint {
  const digits = { h: 0, m: 0, s: 9, ms: 6, µs: 3, ns: 0 } as const;
  const factors = { h: 3_600_000_000_000n, m: 60_000_000_000n, s: 1n, ms: 1n, µs: 1n, ns: 1n } as const;
  return [...text.matchAll(/(\d+)(?:\.(\d+))?(ms|µs|ns|h|m|s)/g)].reduce((sum, [, whole = "", fraction = "", unit]) => {
    const name = unit as keyof typeof digits; // by the pattern
    return sum + BigInt(whole + fraction.padEnd(digits[name], "0")) * factors[name];
  }, 0n);
}
