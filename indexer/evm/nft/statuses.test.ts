import { DAY_SECONDS, isTemporary, type MetadataStatus, STATUSES, waitSeconds } from "./statuses.ts";

const RETRIED = ["UNREACHABLE_TOKEN_URI", "THROTTLED_TOKEN_URI"] as const;

describe("a token without metadata", () => {
  it("is looked at again by itself only where time may help", () => {
    const again = Object.keys(STATUSES).filter((status) => waitSeconds(status as MetadataStatus, 1, 0) !== null);
    expect(again).toEqual(RETRIED);
  });

  it("is looked at again after ever longer waits, up to a day, and then no more", () => {
    const waits = Array.from({ length: 9 }, (_, i) => waitSeconds("UNREACHABLE_TOKEN_URI", i + 1, 0));
    expect(waits).toEqual([60, 240, 960, 3_840, 15_360, 61_440, 86_400, null, null]);
  });

  it.each(RETRIED)("is not looked at again before its server wants that: %s", (status) => {
    expect(waitSeconds(status, 1, 30)).toBe(60);
    expect(waitSeconds(status, 1, 500)).toBe(500);
    expect(waitSeconds(status, 7, DAY_SECONDS)).toBe(DAY_SECONDS);
  });

  it("has waited no time while nobody was asked", () => {
    expect(waitSeconds("UNREACHABLE_TOKEN_URI", 0, 0)).toBe(60);
  });
});

it("Only what says nothing of a token leaves the metadata that it has", () => {
  const passing = Object.keys(STATUSES).filter((status) => isTemporary(status as MetadataStatus));
  expect(passing).toEqual([...RETRIED, "UNINDEXED"]);
});
