import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { type Session, tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { addUntraced, cutUntraced, removeUntraced, untracedRanges } from "./untraced-ranges.ts";

const CHAIN = "7";

let database: TestDatabase;
let indexer: Writer;
let backfill: Writer;
beforeEach(async () => {
  database = await createTestDatabase();
  indexer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
  backfill = (await tryBecomeWriter(database.url, `${CHAIN} backfill`)) as Writer;
  await database.pool.query(
    `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions)
     VALUES (${CHAIN}, '', 1, 10, '', 1, 0)`,
  );
});
afterEach(async () => {
  for (const resource of [indexer, backfill, database]) await resource[Symbol.asyncDispose]();
});

async function given(...ranges: readonly (readonly [from: number, to: number])[]): Promise<void> {
  for (const [from, to] of ranges)
    await database.pool.query(`INSERT INTO untraced_ranges VALUES (${CHAIN}, ${from}, ${to})`);
}

const left = async (): Promise<number[][]> =>
  (await indexer.transaction((session) => untracedRanges(session, CHAIN))).map(({ from, to }) => [from, to]);

/** Runs both tasks; the second starts when the first is done but not committed, and must wait for it. */
async function overlapping(
  first: readonly [Writer, (session: Session) => Promise<void>],
  second: readonly [Writer, (session: Session) => Promise<void>],
  afterwards: (session: Session) => Promise<unknown> = async () => {},
): Promise<void> {
  let started: Promise<void> | undefined;
  await first[0].transaction(async (session) => {
    await first[1](session);
    started = second[0].transaction(second[1]);
    await until(
      async () =>
        (
          await database.pool.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rowCount,
      (count) => count === 1,
      "the second to wait",
    );
    await afterwards(session);
  });
  await started;
}

describe("a block that is traced later", () => {
  it.each([
    [1, [[2, 10]]],
    [10, [[1, 9]]],
    [
      4,
      [
        [1, 3],
        [5, 10],
      ],
    ],
    [11, [[1, 10]]],
  ])("%i is removed from the range that contains it", async (number, ranges) => {
    await given([1, 10]);
    await backfill.transaction((session) => removeUntraced(session, CHAIN, number));
    expect(await left()).toEqual(ranges);
  });

  it("is removed from every range that contains it", async () => {
    await given([1, 6], [4, 12], [5, 5], [6, 8], [20, 30]);
    await backfill.transaction((session) => removeUntraced(session, CHAIN, 5));
    expect(await left()).toEqual([
      [1, 4],
      [6, 12],
      [20, 30],
    ]);
  });
});

describe("a backfill and a reorganisation at the same time", () => {
  const remove = (session: Session) => removeUntraced(session, CHAIN, 3);
  const cut = (session: Session) => cutUntraced(session, CHAIN, 5);
  const kept = [
    [1, 2],
    [4, 5],
  ];

  it("leave no rows above the common block if the reorganisation waits", async () => {
    await given([1, 10]);
    await overlapping([backfill, remove], [indexer, cut]);
    expect(await left()).toEqual(kept);
  });

  it("leave no rows above the common block if the backfill waits", async () => {
    await given([1, 10]);
    await overlapping([indexer, cut], [backfill, remove]);
    expect(await left()).toEqual(kept);
  });

  it("record blocks that follow once", async () => {
    await given([1, 10]);
    await overlapping([backfill, remove], [indexer, cut]);
    const blocks = [6, 7].map((number) => ({ number, isTraced: false }));
    await indexer.transaction((session) => addUntraced(session, CHAIN, blocks));
    expect(await left()).toEqual([
      [1, 2],
      [4, 7],
    ]);
  });

  it("do not wait for each other if a new block has no call trees", async () => {
    await given([1, 10]);
    const add = (session: Session) => addUntraced(session, CHAIN, [{ number: 11, isTraced: false }]);
    const moveHead = (session: Session) => session.query("UPDATE chain_heads SET block_number = 11");
    await overlapping([indexer, add], [backfill, remove], moveHead);
    expect(await left()).toEqual([
      [1, 2],
      [4, 11],
    ]);
  });
});
