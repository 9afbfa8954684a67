import { createRandomIntegers } from "./random.ts";

/**
 * True in a full run (`npm run test:full`), which runs every case of the tests for which `npm test` runs only a fixed sample.
 */
export const isFullRun = process.env["MORAINE_TEST_FULL"] === "1";

const SEED = 0x5a4d;

/**
 * Returns every case in a full run, otherwise a sample of `count` cases in their order. The sample is the same in every run.
 */
export function sampled<Case>(cases: readonly Case[], count: number): Case[] {
  if (isFullRun || count >= cases.length) return [...cases];
  const random = createRandomIntegers(SEED);
  const ranked = cases.map((one, index) => ({ one, index, rank: random() }));
  const chosen = ranked.sort((a, b) => a.rank - b.rank).slice(0, count);
  return chosen.sort((a, b) => a.index - b.index).map(({ one }) => one);
}
