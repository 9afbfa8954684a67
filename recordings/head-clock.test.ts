import { headAfter } from "./head-clock.ts";

/** Blocks 0 to 8, whose head starts at 6, with these gaps before blocks 7 and 8. */
function headWithGaps(gapTo7Ms: number, gapTo8Ms: number): (elapsedMs: number) => number {
  return headAfter([0, 0, 0, 0, 0, 0, 1000, 1000 + gapTo7Ms, 1000 + gapTo7Ms + gapTo8Ms]);
}

it("a head starts at three quarters, also before its start time", () => {
  const head = headWithGaps(2000, 2000);
  expect([head(-5000), head(0), head(1999)]).toEqual([6, 6, 6]);
});

it("a block appears after its recorded gap, and the head stays at the last block", () => {
  const head = headWithGaps(2000, 1000);
  expect([head(2000), head(2999), head(3000), head(1e12)]).toEqual([7, 7, 8, 8]);
});

it("a gap lasts at least half a second and at most four", () => {
  const head = headWithGaps(0, 3_600_000);
  expect([head(499), head(500), head(4499), head(4500)]).toEqual([6, 7, 7, 8]);
});

it("a chain of only its genesis has the genesis as head", () => {
  expect(headAfter([0])(1e9)).toBe(0);
});
