import { atomicBlock } from "../../../../../test/support/built/blocks.ts";
import { manyDays } from "../../../../../test/support/built/many-days.ts";
import type { TestDatabase } from "../../../../../test/support/database/database.ts";
import { openBuiltNetwork } from "../../../../../test/support/indexed/built-network.ts";
import { dumpPrimary } from "../../../../../test/support/indexed/primary-tables.ts";
import { type ReplayedPrimary, replayPrimary } from "../../../../../test/support/indexed/replayed-primary.ts";
import { acceptanceTimes, retimeVertices } from "../../../../../test/support/indexed/retime-vertices.ts";
import {
  expectedPrimaryActivity,
  storedPrimaryActivity,
} from "../../../../../test/support/oracle/primary-activity-oracle.ts";
import { describeAllRecordings } from "../../../../../test/support/recorded/primary-vectors.ts";

const DAY = 86_400;

/** Compares the figures with those that follow from all other rows, and returns the number of compared rows. */
async function expectFromRows({ pool }: Pick<TestDatabase, "pool">, networkId: number): Promise<number> {
  const stored = await storedPrimaryActivity(pool, networkId);
  const expected = await expectedPrimaryActivity(pool, networkId);
  // Rewards that the other rows do not show are not compared.
  const compared = stored.map(({ annual_rewards, ...row }, at) =>
    expected[at] && "annual_rewards" in expected[at] ? { ...row, annual_rewards } : row,
  );
  expect(compared).toEqual(expected);
  return stored.length;
}

describeAllRecordings("the activity of a network", (folder) => {
  let database: ReplayedPrimary;
  beforeAll(async () => {
    database = await replayPrimary(folder);
  });
  afterAll(() => database[Symbol.asyncDispose]());
  const networkId = () => database.recording.network.networkId;

  it("equals the figures that follow from all other rows", async () => {
    expect(await expectFromRows(database, networkId())).toBeGreaterThanOrEqual(12);
  });

  it("has all fees of L1 validators: what was added to their balances, without what was refunded and what is left", async () => {
    const { rows } = await database.pool.query(
      `SELECT interval, sum(l1_validator_fees) = (SELECT sum(l1_balance_burned) FROM primary_transactions)
         - (SELECT coalesce(sum(amount), 0) FROM utxos WHERE role = 'REFUND')
         - (SELECT coalesce(sum(v.end_accumulated_fee - s.l1_accrued_fees), 0) FROM l1_validators v, p_chain_states s WHERE v.is_active)
         AS "isComplete" FROM primary_activity GROUP BY interval ORDER BY interval`,
    );
    expect(rows).toEqual(["DAY", "HOUR", "MONTH", "WEEK"].map((interval) => ({ interval, isComplete: true })));
  });

  it("belongs to other periods after the times of vertices have changed", async () => {
    if (database.recording.vertexCount === 0) return;
    const before = await storedPrimaryActivity(database.pool, networkId());
    const aDayEarlier = acceptanceTimes(database.recording)
      .slice(0, 60)
      .map((time, index) => [index, time - DAY] as const);
    await retimeVertices(database, database.recording, (time) => time, new Map(aDayEarlier));
    await expectFromRows(database, networkId());
    expect(await storedPrimaryActivity(database.pool, networkId())).not.toEqual(before);
  });
});

describe("the activity of a network over many days", () => {
  const { network, pBlocks, xBlocks, imported, start } = manyDays;
  const { networkId } = network;
  const FEE = manyDays.importFee;

  it.each([1, 3, 100])("equals the figures that follow from all other rows, in batches of %i", async (size) => {
    await using built = await openBuiltNetwork(network);
    await built.accept("P", pBlocks, size);
    await built.accept("X", xBlocks, size);
    await built.acceptAtomic([atomicBlock(1, imported)], size);
    expect(built.replay.exceptions).toEqual({ P: 0, X: 0, C: 0 });
    expect(await expectFromRows(built.database, networkId)).toBeGreaterThan(20);
    const [days] = await built.rows<{ days: number; changes: number }>(
      `SELECT count(*)::int AS days, count(DISTINCT (validators, delegators, subnets, blockchains, l1s))::int AS changes
       FROM primary_activity WHERE chain = 'P' AND interval = 'DAY'`,
    );
    expect(days).toEqual({ days: 4, changes: 3 });
  });

  it("is computed again with the rows of an earlier version, which had none", async () => {
    await using built = await openBuiltNetwork(network);
    await built.accept("P", pBlocks, 100);
    await built.accept("X", xBlocks, 100);
    const rows = await dumpPrimary(built.database.pool, networkId);
    for (const statement of ["DELETE FROM primary_activity", "SELECT"]) {
      await built.rows(statement);
      await built.rows("UPDATE primary_heads SET rows_version = rows_version - 1");
      await built.reopen();
      expect(await dumpPrimary(built.database.pool, networkId)).toEqual(rows);
    }
  });

  it("moves the fees of a transaction of a bonus block to the block that has its row", async () => {
    const later = { ...atomicBlock(11, imported), timestamp: start + 9 * DAY };
    const bonus = { ...atomicBlock(10, imported), timestamp: start };
    for (const size of [1, 2]) {
      await using built = await openBuiltNetwork({ ...network, bonusBlocks: new Map([[bonus.hash, 10]]) });
      await built.accept("X", xBlocks);
      await built.acceptAtomic([bonus, later], size);
      await expectFromRows(built.database, networkId);
      const fees = await built.rows(
        "SELECT transactions::int, fees_burned::int AS fees FROM primary_activity WHERE chain = 'C' AND interval = 'DAY' ORDER BY period_start",
      );
      expect(fees).toEqual([0, FEE].map((fees) => ({ transactions: 1, fees })));
      const rows = await dumpPrimary(built.database.pool, networkId);
      await built.replay.resetAtomic();
      await expectFromRows(built.database, networkId);
      await built.acceptAtomic([bonus, later], 3 - size);
      expect(await dumpPrimary(built.database.pool, networkId)).toEqual(rows);
    }
  });
});
