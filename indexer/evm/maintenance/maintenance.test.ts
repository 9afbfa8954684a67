import { createLogger } from "../../../core/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { BalanceChanges } from "../decode/balance-changes.ts";
import { insertErc20Holdings } from "../store/holdings/erc20-holdings.ts";
import { createPartitions } from "../store/tables.ts";
import { createMaintenance } from "./maintenance.ts";
import { vacuumReplacedRows } from "./vacuum.ts";

const TOKEN = "aa".repeat(20);
const HOLDERS = 2_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

async function writerOf(chainId: string): Promise<Writer> {
  const writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
  await createPartitions(writer, chainId);
  await database.pool.query(`ALTER TABLE erc20_holders_${chainId} SET (autovacuum_enabled = false)`);
  return writer;
}

/** Writes a block in which each holder gets its highest balance. */
async function writeBlock(writer: Writer, chainId: string, number: number): Promise<void> {
  const changes = new BalanceChanges();
  for (let holder = 0; holder < HOLDERS; holder++) changes.add(TOKEN, holder.toString(16).padStart(40, "0"), 1n);
  await writer.transaction(async (session) => {
    await insertErc20Holdings(session, chainId, [{ number, balances: changes.all() }]);
    // PostgreSQL counts replaced rows once a second.
    await session.query("SELECT pg_stat_force_next_flush()");
  });
}

async function bytesOf(chainId: string): Promise<number> {
  const text = "SELECT pg_total_relation_size($1::regclass) AS bytes";
  return Number((await database.pool.query(text, [`erc20_holders_${chainId}`])).rows[0]?.bytes);
}

const waits = async (): Promise<boolean> => {
  const text = "SELECT FROM pg_stat_activity WHERE query LIKE 'VACUUM%' AND wait_event_type = 'Lock'";
  return ((await database.pool.query(text)).rowCount ?? 0) > 0;
};

describe("the maintenance of a chain's tables", () => {
  it("keeps the table of holders small while each batch replaces its rows", async () => {
    await using kept = await writerOf("7");
    await using other = await writerOf("8");
    for (let number = 1; number <= 12; number++) {
      await writeBlock(kept, "7", number);
      await vacuumReplacedRows(database.pool, "7");
      await writeBlock(other, "8", number);
    }
    expect(await bytesOf("7")).toBeLessThan((await bytesOf("8")) / 2);
  });

  it("leaves a table alone until a fifth of its rows are replaced versions", async () => {
    await using writer = await writerOf("9");
    await writeBlock(writer, "9", 1);
    const vacuums = async (): Promise<number> => {
      const text = "SELECT pg_stat_get_vacuum_count('erc20_holders_9'::regclass) AS count";
      return Number((await database.pool.query(text)).rows[0]?.count);
    };
    await vacuumReplacedRows(database.pool, "9");
    expect(await vacuums()).toBe(0);
    await writeBlock(writer, "9", 2);
    await vacuumReplacedRows(database.pool, "9");
    expect(await vacuums()).toBe(1);
  });

  it("ends at once while a statement waits", async () => {
    await using writer = await writerOf("10");
    for (const number of [1, 2]) await writeBlock(writer, "10", number);
    const lock = await database.pool.connect();
    await lock.query("BEGIN; LOCK TABLE erc20_holders_10 IN SHARE UPDATE EXCLUSIVE MODE");
    {
      await using maintenance = createMaintenance({ ...database, chainId: "10", logger: createLogger("silent") });
      maintenance.afterBatch();
      await until(waits, (it) => it, "the statement to wait for the lock", 5);
    }
    expect(await waits()).toBe(false);
    await lock.query("ROLLBACK");
    lock.release();
  });

  it("logs why it failed, and goes on with the next batch", async () => {
    const { logger, lines } = createLogLines("warn");
    const url = `${database.url}_missing`;
    await using maintenance = createMaintenance({ url, chainId: "7", logger });
    for (const count of [1, 2]) {
      maintenance.afterBatch();
      await until(
        async () => lines.length,
        (it) => it === count,
        "a line",
        5,
      );
      expect(lines.at(-1)?.["msg"]).toMatch(/^the maintenance of the tables failed: database/);
    }
  });
});
