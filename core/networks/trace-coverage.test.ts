import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { isUntraced, traceCoverage } from "./trace-coverage.ts";

const CHAIN = 7;
const RANGES = 20_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // Blocks 10 to 13, 20 to 23 and so on.
  await database.pool.query(
    `INSERT INTO untraced_ranges SELECT ${CHAIN}, i * 10, i * 10 + 3 FROM generate_series(1, ${RANGES}) i`,
  );
  await database.pool.query("VACUUM ANALYZE untraced_ranges");
});
afterAll(() => database[Symbol.asyncDispose]());

const COVERAGE = traceCoverage("$2::bigint", "$3::bigint");

async function untracedIn(start: number, end: number): Promise<unknown> {
  const { rows } = await database.pool.query(COVERAGE, [CHAIN, start, end]);
  expect(rows).toHaveLength(1);
  const { firstUntraced, lastUntraced } = rows[0] as Record<string, string | null>;
  return [firstUntraced, lastUntraced].map((number) => number && Number(number));
}

interface Plan {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

/** Number of ranges that a statement reads. */
async function rangesRead(statement: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await database.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, [...values]);
  const [{ Plan: plan }] = (rows[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"];
  const count = (node: Plan): number =>
    (node["Relation Name"] === "untraced_ranges" ? node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) : 0) +
    (node.Plans ?? []).reduce((sum, inner) => sum + count(inner), 0);
  return count(plan);
}

describe("the trace coverage of a range of blocks", () => {
  const all = new Set(Array.from({ length: RANGES }, (_, i) => [0, 1, 2, 3].map((n) => (i + 1) * 10 + n)).flat());
  const ends = [0, 1, 9, 10, 11, 13, 14, 15, 20, 23, 24, 35];

  it("has the first and the last untraced block, wherever the range starts and ends", async () => {
    for (const start of ends)
      for (const end of ends) {
        const within = Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i).filter((n) => all.has(n));
        expect([start, end, await untracedIn(start, end)]).toEqual([
          start,
          end,
          [within[0] ?? null, within.at(-1) ?? null],
        ]);
      }
  });

  it("reads at most three ranges of a chain with many, however long the range of blocks is", async () => {
    expect(await untracedIn(0, 9_007_199_254_740_991)).toEqual([10, RANGES * 10 + 3]);
    for (const [start, end] of [
      [0, "9223372036854775807"],
      [100_000, 100_001],
      [199_000, 200_050],
    ])
      expect(await rangesRead(COVERAGE, [CHAIN, start, end])).toBeLessThanOrEqual(3);
  });
});

it("isUntraced reads one range", async () => {
  const ask = `SELECT ${isUntraced("$1", "$2::bigint")} AS "isUntraced"`;
  const answers = [];
  for (const number of [9, 10, 13, 14, 150_003, 150_004]) {
    const { rows } = await database.pool.query<{ isUntraced: boolean }>(ask, [CHAIN, number]);
    answers.push(rows[0]?.isUntraced);
  }
  expect(answers).toEqual([false, true, true, false, true, false]);
  expect(await rangesRead(ask, [CHAIN, 150_004])).toBeLessThanOrEqual(1);
});
