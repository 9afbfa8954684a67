import { retryPauseSeconds } from "./retry-pause.ts";

describe("the pause before a contract is called again", () => {
  it("doubles with each failure of the node, up to an hour", () => {
    const pauses = Array.from({ length: 14 }, (_, i) => retryPauseSeconds(i + 1, 0));
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
    expect(retryPauseSeconds(100_000, 0)).toBe(3_600);
  });

  it("is at least what the node asked for", () => {
    expect(retryPauseSeconds(1, 7_500)).toBe(8);
    expect(retryPauseSeconds(5, 7_500)).toBe(16);
  });
});
