import type { PoolClient } from "pg";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { type Scan, scansOn } from "../../../../test/support/database/plans.ts";
import { dumpTable } from "../../../../test/support/database/tables.ts";
import { createHoldersDatabase, HOLDERS_CHAIN, HOLDERS_HEAD } from "../../../../test/support/indexed/holders-chain.ts";
import { expectedHoldings } from "../../../../test/support/oracle/holdings-oracle.ts";
import { createRandomIntegers } from "../../../../test/support/random.ts";
import { createTaskQueue } from "../../../shared/task-queue.ts";
import { type Session, tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { BalanceChanges } from "../../decode/balance-changes.ts";
import { createMissingStatistics } from "../statistics.ts";
import { createPartitions } from "../tables.ts";
import { addToErc20Holders, restoreErc20Holders } from "./erc20-holders.ts";
import { type Erc20Block, insertErc20Holdings, rollBackErc20Holdings } from "./erc20-holdings.ts";
import { holderChanges } from "./holder-changes.ts";

const CHAIN = 77_013;
const TOKENS = ["aa", "bb"].map((byte) => byte.repeat(20));
/** The first address changes most often. */
const HOLDERS = ["01", "02", "03", "04", "05", "06"].map((byte) => byte.repeat(20));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe("the holders of ERC-20 tokens", () => {
  it("have the same past balances as a sort of all balances gives, after batches of any size and rollbacks to any block", async () => {
    await using writer = (await tryBecomeWriter(database.url, String(CHAIN))) as Writer;
    await createPartitions(writer, String(CHAIN));
    const random = createRandomIntegers(11);
    const blockOf = (number: number): Erc20Block => {
      const changes = new BalanceChanges();
      for (let change = 0; change < 3; change++) {
        const holder = HOLDERS[Math.min(random() % 6, random() % 6)] as string;
        changes.add(TOKENS[random() % 2] as string, holder, BigInt(random() % 100) - 45n);
      }
      return { number, balances: changes.all(), erc20TransferCounts: new Map() };
    };
    let head = 0;
    for (let step = 0; step < 14; step++) {
      if (step % 4 === 3) {
        head = Math.max(0, head - (random() % 25));
        await writer.transaction(async (session) => {
          await rollBackErc20Holdings(session, String(CHAIN), head);
          await session.query("DELETE FROM erc20_balances WHERE chain_id = $1 AND block_number > $2", [CHAIN, head]);
        });
      } else {
        const blocks = Array.from({ length: 1 + (random() % 20) }, (_, index) => blockOf(head + 1 + index));
        await writer.transaction((session) => insertErc20Holdings(session, String(CHAIN), blocks));
        head += blocks.length;
      }
      await expectHolders(step);
    }
  });
});

describe("the balances of ERC-20 tokens", () => {
  it("have the numbers 1, 2, 3 and so on of their holders, without gaps, and reuse those that a rollback freed", async () => {
    await using writer = (await tryBecomeWriter(database.url, "8")) as Writer;
    await createPartitions(writer, "8");
    const blockOf = (number: number, holders: readonly (string | undefined)[]): Erc20Block => {
      const changes = new BalanceChanges();
      for (const holder of holders) changes.add(TOKENS[0] as string, holder as string, 1n);
      return { number, balances: changes.all(), erc20TransferCounts: new Map() };
    };
    const [a, b, c, d] = HOLDERS;
    const insert = (...blocks: Erc20Block[]) =>
      writer.transaction((session) => insertErc20Holdings(session, "8", blocks));
    await insert(blockOf(1, [b, d]));
    await insert(blockOf(2, [a, b]), blockOf(3, [c, d]));
    await writer.transaction(async (session) => {
      await rollBackErc20Holdings(session, "8", 1);
      await session.query("DELETE FROM erc20_balances WHERE chain_id = 8 AND block_number > 1");
    });
    await insert(blockOf(2, [b, c]));
    const { rows } = await database.pool.query(
      "SELECT holder_id, encode(address, 'hex') AS address FROM erc20_holders WHERE chain_id = 8 ORDER BY holder_id",
    );
    expect(rows.map(({ holder_id, address }) => [holder_id, address])).toEqual([
      [1, b],
      [2, d],
      [3, c],
    ]);
    const balances = await database.pool.query(
      "SELECT holder_id, block_number, balance FROM erc20_balances WHERE chain_id = 8 ORDER BY 2, 1",
    );
    expect(balances.rows.map((row) => Object.values(row))).toEqual([
      [1, 1, "1"],
      [2, 1, "1"],
      [1, 2, "2"],
      [3, 2, "1"],
    ]);
  });
});

describe("the statements that change the holders of ERC-20 tokens", () => {
  it("read by index only the holders of the changes in a new table, before autovacuum has made statistics", async () => {
    await using writer = (await tryBecomeWriter(database.url, "6")) as Writer;
    await createPartitions(writer, "6");
    await database.pool.query("ALTER TABLE erc20_holders_6 SET (autovacuum_enabled = false)");
    const blockOf = (number: number): Erc20Block => {
      const changes = new BalanceChanges();
      // Half of the holders of a block are new.
      for (let at = 0; at < 1_000; at++)
        changes.add(TOKENS[0] as string, (number * 500 + at).toString(16).padStart(40, "0"), 1n);
      return { number, balances: changes.all(), erc20TransferCounts: new Map() };
    };
    for (let number = 1; number <= 8; number++) {
      await writer.transaction((session) => insertErc20Holdings(session, "6", [blockOf(number)]));
      if (number === 2) await createMissingStatistics(writer, "6");
    }
    const client = await database.pool.connect();
    const { session, scans } = explaining(client);
    await client.query("BEGIN");
    await addToErc20Holders(session, "6", holderChanges([blockOf(9)]));
    await client.query("ROLLBACK");
    client.release();
    expectIndexScans(scans, 1_000);
  });

  it("read by index only the holders of the changes, of which there may be many, their balances, and the last number", async () => {
    await using holders = await createHoldersDatabase();
    const { rows } = await holders.pool.query<{ token: string; address: string }>(
      `SELECT encode(token_address, 'hex') AS token, encode(address, 'hex') AS address FROM erc20_holders
       WHERE holder_id % 10 = 0 ORDER BY holder_id`,
    );
    expect(rows.length).toBe(4_000);
    const client = await holders.pool.connect();
    await client.query("BEGIN");
    const { session, scans } = explaining(client);
    const changes = new BalanceChanges();
    for (const { token, address } of rows) changes.add(token, address, 1n);
    changes.add(TOKENS[0] as string, HOLDERS[0] as string, 1n);
    const block = { number: HOLDERS_HEAD + 1, balances: changes.all() };
    await addToErc20Holders(session, HOLDERS_CHAIN, holderChanges([block]));
    const restored = rows.slice(0, 99).map((_, at) => 400 * (at + 1));
    await restoreErc20Holders(session, HOLDERS_CHAIN, HOLDERS_HEAD, restored);
    await client.query("COMMIT");
    client.release();
    expectIndexScans(scans, 4_001);
    const balances = "SELECT count(*) FROM erc20_holders WHERE holder_id > 40000 OR last_block_number > 9000";
    // The new holder, and those that are not restored.
    expect((await holders.pool.query(balances)).rows).toEqual([{ count: String(1 + rows.length - restored.length) }]);
  });
});

/** A session that runs each statement but settings with EXPLAIN ANALYZE, on one connection, because settings decide about the plans. */
function explaining(client: PoolClient): { readonly session: Session; readonly scans: Scan[] } {
  const scans: Scan[] = [];
  const enqueue = createTaskQueue();
  const session: Session = {
    query: <Result>(text: string, values: readonly unknown[] = []) =>
      enqueue(async () => {
        if (text.startsWith("SET ")) await client.query(text);
        else scans.push(...(await scansOn(client, text, values)));
        return [] as Result[];
      }),
    copy: () => Promise.reject(new Error("no rows are copied")),
  };
  return { session, scans };
}

function expectIndexScans(scans: readonly Scan[], maxRows: number): void {
  const ofTables = scans.filter(({ table, kind }) => table.startsWith("erc20_") && kind !== "ModifyTable");
  expect(ofTables.length).toBeGreaterThan(2);
  for (const { table, kind, rows, removed } of ofTables)
    expect([table, kind.replace(" Only", ""), rows + removed <= maxRows]).toEqual([table, "Index Scan", true]);
}

/** Compares the rows of holders with those that follow from all stored balances. */
async function expectHolders(step: number): Promise<void> {
  const hex = (text: string | null | undefined): string | null => text?.replace("\\x", "0x") ?? null;
  const balances = await dumpTable(database.pool, CHAIN, "erc20_balances");
  const { erc20_holders } = expectedHoldings(CHAIN, {
    erc20_balances: balances.map((row) => ({
      ...row,
      token_address: hex(row["token_address"]),
      address: hex(row["address"]),
    })),
    erc20_transfers: [],
    erc721_transfers: [],
    erc1155_transfers: [],
  });
  const found = await dumpTable(database.pool, CHAIN, "erc20_holders");
  const keyed = (rows: readonly Readonly<Record<string, string | null>>[]) =>
    new Map(rows.map((row) => [`${hex(row["token_address"])} ${hex(row["address"])}`, withoutKey(row)]));
  expect([step, keyed(found)]).toEqual([step, keyed(erc20_holders)]);
}

const withoutKey = (row: Readonly<Record<string, string | null>>): Readonly<Record<string, string | null>> => ({
  ...row,
  token_address: null,
  address: null,
});
