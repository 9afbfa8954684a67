import { DAY_SECONDS, isTemporary, type MetadataStatus, STATUSES, waitSeconds } from "./statuses.ts";

const RETRIED = ["UNREACHABLE_TOKEN_URI", "THROTTLED_TOKEN_URI"] as const;

describe("a token without metadata", () => {
  it("is retried only if a later attempt may succeed", () => {
    const again = Object.keys(STATUSES).filter((status) => waitSeconds(status as MetadataStatus, 1, 0) !== null);
    expect(again).toEqual(RETRIED);
  });

  it("is retried after increasing waits of up to a day, for a limited number of times", () => {
    const waits = Array.from({ length: 9 }, (_, i) => waitSeconds("UNREACHABLE_TOKEN_URI", i + 1, 0));
    expect(waits).toEqual([60, 240, 960, 3_840, 15_360, 61_440, 86_400, null, null]);
  });

  it.each(RETRIED)("is not retried before the server's retry-after: %s", (status) => {
    expect(waitSeconds(status, 1, 30)).toBe(60);
    expect(waitSeconds(status, 1, 500)).toBe(500);
    expect(waitSeconds(status, 7, DAY_SECONDS)).toBe(DAY_SECONDS);
  });

  it("waits as after one attempt if no request was sent", () => {
    expect(waitSeconds("UNREACHABLE_TOKEN_URI", 0, 0)).toBe(60);
  });
});

it("stored metadata is kept only after temporary failures", () => {
  const passing = Object.keys(STATUSES).filter((status) => isTemporary(status as MetadataStatus));
  expect(passing).toEqual([...RETRIED, "UNINDEXED"]);
});
