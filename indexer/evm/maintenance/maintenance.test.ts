import { Socket } from "node:net";
import type pg from "pg";
import { createLogger } from "../../../core/observability/logger.ts";
import { asSuperuser, createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import {
  createMaintenanceSession,
  endSession,
  type MaintenanceSessionOptions,
  openLongSession,
} from "../../shared/maintenance-session.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { BalanceChanges } from "../decode/balance-changes.ts";
import { insertErc20Holdings } from "../store/holdings/erc20-holdings.ts";
import { createPartitions } from "../store/tables.ts";
import { createMaintenance, type Maintenance, type MaintenanceDeps } from "./maintenance.ts";
import { rebuildAfterCatchUp } from "./rebuild-after-catch-up.ts";
import { rebuildIndexes } from "./rebuild-indexes.ts";
import { createVacuum } from "./vacuum.ts";

const TOKEN = "aa".repeat(20);
const HOLDERS = 2_000;
const NEVER = new AbortController().signal;

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
    await insertErc20Holdings(session, chainId, [{ number, balances: changes.all(), erc20TransferCounts: new Map() }]);
    // PostgreSQL counts replaced rows once a second.
    await session.query("SELECT pg_stat_force_next_flush()");
  });
}

/** How often the table of holders was vacuumed and analysed. */
async function runsOn(chainId: string): Promise<unknown> {
  const table = `'erc20_holders_${chainId}'::regclass`;
  const text = `SELECT pg_stat_get_vacuum_count(${table})::int AS vacuum, pg_stat_get_analyze_count(${table})::int AS analyze`;
  return (await database.pool.query(text)).rows[0];
}

async function bytesOf(chainId: string): Promise<number> {
  const text = "SELECT pg_total_relation_size($1::regclass) AS bytes";
  return Number((await database.pool.query(text, [`erc20_holders_${chainId}`])).rows[0]?.bytes);
}

/** Locks a table until it is disposed. */
async function lockTable(table: string, mode: string) {
  const client = await database.pool.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  const pid = (await client.query("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;
  const waiting = "SELECT FROM pg_stat_activity WHERE starts_with(query, $1) AND $2::int = ANY (pg_blocking_pids(pid))";
  return {
    /** Whether a statement that begins with this word waits for the lock. */
    blocks: async (word: string): Promise<boolean> =>
      ((await database.pool.query(waiting, [word, pid])).rowCount ?? 0) > 0,
    untilBlocks(word: string): Promise<boolean> {
      return until(
        () => this.blocks(word),
        (it) => it,
        `${word} to wait for the lock`,
        5,
      );
    },
    async [Symbol.asyncDispose]() {
      await client.query("ROLLBACK");
      client.release();
    },
  };
}

interface OwnSession extends MaintenanceSessionOptions, Omit<MaintenanceDeps, "session"> {}

/** The maintenance of a chain that is alone in its process. */
function maintenanceAlone({ url, onSession, ...deps }: OwnSession): Maintenance {
  const session = createMaintenanceSession({ url, ...(onSession ? { onSession } : {}) });
  const maintenance = createMaintenance({ ...deps, session });
  return {
    ...maintenance,
    async [Symbol.asyncDispose]() {
      await maintenance[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

const maintenanceOf = (chainId: string, rebuildIndexesAfterBlocks: number, logger = createLogger("silent")) =>
  maintenanceAlone({ url: database.url, chainId, rebuildIndexesAfterBlocks, logger });

describe("the maintenance of a chain's tables", () => {
  it("keeps the table of holders small while each batch replaces its rows", async () => {
    await using kept = await writerOf("7");
    await using other = await writerOf("8");
    const vacuum = createVacuum("7", () => 0);
    for (let number = 1; number <= 12; number++) {
      await writeBlock(kept, "7", number);
      await vacuum(database.pool, NEVER);
      await writeBlock(other, "8", number);
    }
    expect(await bytesOf("7")).toBeLessThan((await bytesOf("8")) / 2);
  });

  it("leaves a table alone until a fifth of its rows are replaced versions, and then makes new statistics, too", async () => {
    await using writer = await writerOf("9");
    await writeBlock(writer, "9", 1);
    const vacuum = createVacuum("9", () => 0);
    await vacuum(database.pool, NEVER);
    expect(await runsOn("9")).toEqual({ vacuum: 0, analyze: 0 });
    await writeBlock(writer, "9", 2);
    await vacuum(database.pool, NEVER);
    expect(await runsOn("9")).toEqual({ vacuum: 1, analyze: 1 });
  });

  it("waits a minute if a transaction can still read the replaced versions", async () => {
    await using writer = await writerOf("12");
    await writeBlock(writer, "12", 1);
    let timeMs = 0;
    const vacuum = createVacuum("12", () => timeMs);
    const reader = await database.pool.connect();
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    for (const number of [2, 3]) {
      await writeBlock(writer, "12", number);
      await vacuum(database.pool, NEVER);
      timeMs += 59_000;
    }
    expect(await runsOn("12")).toMatchObject({ vacuum: 1 });
    await reader.query("ROLLBACK");
    reader.release();
    timeMs += 1_000;
    await vacuum(database.pool, NEVER);
    expect(await runsOn("12")).toMatchObject({ vacuum: 2 });
  });

  it("ends at once while a statement waits", async () => {
    await using writer = await writerOf("10");
    for (const number of [1, 2]) await writeBlock(writer, "10", number);
    await using lock = await lockTable("erc20_holders_10", "SHARE UPDATE EXCLUSIVE");
    {
      await using maintenance = maintenanceOf("10", 0);
      maintenance.afterBatch();
      await lock.untilBlocks("VACUUM");
    }
    expect(await lock.blocks("VACUUM")).toBe(false);
  });

  it("passes on the process id of its session, whose priority is lowered", async () => {
    const opened: number[] = [];
    const onSession = (pid: number) => void opened.push(pid);
    const deps = { url: database.url, chainId: "7", rebuildIndexesAfterBlocks: 0, logger: createLogger("silent") };
    await using maintenance = maintenanceAlone({ ...deps, onSession });
    maintenance.afterBatch();
    const text =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'moraine maintenance' AND datname = current_database()";
    const [session] = await until(
      async () => (await database.pool.query<{ pid: number }>(text)).rows,
      (rows) => rows.length > 0 && opened.length > 0,
      "the session",
      5,
    );
    expect(opened).toEqual([session?.pid]);
  });

  it("logs why it failed, and goes on with the next batch", async () => {
    const { logger, lines } = createLogLines("warn");
    const url = `${database.url}_missing`;
    await using maintenance = maintenanceAlone({ url, chainId: "7", rebuildIndexesAfterBlocks: 0, logger });
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

/** A chain with a single index, which is due to be rebuilt after 1,000 new blocks. */
async function createSmallChain(chainId: string): Promise<void> {
  await database.pool.query(`CREATE TABLE evm_logs_${chainId} (number int PRIMARY KEY);
    INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions, batched_blocks)
      VALUES (${chainId}, '', 0, 999, '', 0, 0, 1000)`);
}

/** Runs PL/pgSQL statements in the session that changes the head of a chain. The maintenance does so when it has rebuilt the indexes. */
async function onHeadChange(chainId: string, statements: string): Promise<void> {
  await database.pool.query(`
    CREATE FUNCTION on_head_${chainId}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} RETURN NEW; END $$;
    CREATE TRIGGER on_head_${chainId} AFTER UPDATE ON chain_heads FOR EACH ROW WHEN (NEW.chain_id = ${chainId})
      EXECUTE FUNCTION on_head_${chainId}()`);
}

/** Counts the connections that switch keepalive on while `task` runs. */
async function countKeepAlive(task: () => Promise<unknown>): Promise<number> {
  const original = Socket.prototype.setKeepAlive;
  let count = 0;
  Socket.prototype.setKeepAlive = function watched(this: Socket, ...args) {
    if (args[0] === true) count++;
    return original.apply(this, args);
  };
  try {
    await task();
  } finally {
    Socket.prototype.setKeepAlive = original;
  }
  return count;
}

describe("the session of the maintenance", () => {
  it("is one for all chains of a process, is opened when there is work, and a chain that waits for it ends at once", async () => {
    const opened: number[] = [];
    await using session = createMaintenanceSession({ url: database.url, onSession: (pid) => void opened.push(pid) });
    const deps = { session, rebuildIndexesAfterBlocks: 1_000, logger: createLogger("silent") };
    const chains = Array.from({ length: 150 }, (_, i) => createMaintenance({ ...deps, chainId: String(50_000 + i) }));
    await createSmallChain("17");
    await onHeadChange("17", "PERFORM pg_sleep(60);");
    const busy = createMaintenance({ ...deps, chainId: "17" });
    expect(opened).toEqual([]);
    busy.atHead();
    const text =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'moraine maintenance' AND datname = current_database()";
    const sleeping = async () => (await database.pool.query(`${text} AND wait_event = 'PgSleep'`)).rowCount;
    await until(sleeping, (count) => count === 1, "the statement to sleep", 5);
    for (const chain of chains) chain.atHead();
    expect((await database.pool.query(text)).rows).toEqual([{ pid: opened[0] }]);
    const [waits, ...others] = chains;
    await waits?.[Symbol.asyncDispose]();
    expect(await sleeping()).toBe(1);
    await busy[Symbol.asyncDispose]();
    // What waited runs now, in a new session in place of the one whose statement was cancelled.
    let isDone = false;
    await session.run(async () => {
      isDone = true;
    }, NEVER);
    expect([isDone, opened.length]).toEqual([true, 2]);
    for (const chain of others) await chain[Symbol.asyncDispose]();
  });

  it("finds out by keepalive that its connection is lost", async () => {
    const opened: pg.Client[] = [];
    const open = async () => opened.push(await openLongSession(database.url, "a long session"));
    expect(await countKeepAlive(open)).toBe(1);
    for (const session of opened) await endSession(session);
  });

  it("rebuilds indexes without parallel workers, whose priority would not be lowered", async () => {
    const setting = "current_setting('max_parallel_maintenance_workers')";
    await createSmallChain("14");
    await database.pool.query("CREATE TABLE seen (workers text)");
    await onHeadChange("14", `INSERT INTO seen VALUES (${setting});`);
    await using maintenance = maintenanceOf("14", 1_000);
    maintenance.atHead();
    const workersOf = async (text: string) => (await database.pool.query<{ workers: string }>(text)).rows;
    const seen = await until(
      () => workersOf("SELECT workers FROM seen"),
      (rows) => rows.length > 0,
      "the indexes to be rebuilt",
      5,
    );
    expect(seen).toEqual([{ workers: "0" }]);
    expect(await workersOf(`SELECT ${setting} AS workers`)).not.toEqual(seen);
  });

  it("has its statement cancelled again if a cancellation has no effect", async () => {
    await createSmallChain("15");
    await onHeadChange(
      "15",
      "BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; PERFORM pg_sleep(60);",
    );
    const sleeping = async () => {
      const text =
        "SELECT FROM pg_stat_activity WHERE application_name = 'moraine maintenance' AND wait_event = 'PgSleep'";
      return (await database.pool.query(text)).rowCount;
    };
    {
      await using maintenance = maintenanceOf("15", 1_000);
      maintenance.atHead();
      await until(sleeping, (count) => count === 1, "the statement to sleep", 5);
    }
    expect(await sleeping()).toBe(0);
  });

  it("drops an index that an interrupted run left behind, also if another session drops it first", async () => {
    await createSmallChain("16");
    await database.pool.query("CREATE INDEX left_behind ON evm_logs_16 (number)");
    await asSuperuser(
      database.url,
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'left_behind'::regclass",
    );
    const session = await openLongSession(database.url, "a long session");
    const query = async (text: string, values?: unknown[]) => {
      if (text.startsWith("DROP INDEX")) await database.pool.query("DROP INDEX left_behind");
      return session.query(text, values);
    };
    const lines: string[] = [];
    const options = { signal: NEVER, report: (line: string) => void lines.push(line) };
    await rebuildIndexes({ query } as Pick<pg.Client, "query">, "16", options);
    expect(lines).toEqual([
      "dropped public.left_behind, which an interrupted run left behind",
      "rebuilt public.evm_logs_16_pkey",
    ]);
    await endSession(session);
  });
});

describe("the indexes of a chain that has caught up", () => {
  const CHAIN = "11";
  const files = async (): Promise<string> => {
    const text =
      "SELECT string_agg(relfilenode::text, ',' ORDER BY relname) AS files FROM pg_class WHERE relname LIKE 'evm\\_%\\_11\\_%'";
    return (await database.pool.query<{ files: string }>(text)).rows[0]?.files ?? "";
  };
  const setHead = (batched: number, blockNumber: number) =>
    database.pool.query(
      `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions, batched_blocks)
       VALUES (${CHAIN}, '', 0, $2, '', 0, 0, $1) ON CONFLICT (chain_id) DO UPDATE SET batched_blocks = $1, block_number = $2`,
      [batched, blockNumber],
    );
  const batchedBlocks = async (): Promise<number> =>
    Number(
      (await database.pool.query(`SELECT batched_blocks AS n FROM chain_heads WHERE chain_id = ${CHAIN}`)).rows[0].n,
    );

  let writer: Writer;
  beforeAll(async () => {
    writer = await writerOf(CHAIN);
  });
  afterAll(() => writer[Symbol.asyncDispose]());

  it("are rebuilt once, also after a restart, and the log says what it gained", async () => {
    await setHead(1_000, 1_999);
    const before = await files();
    const { logger, lines } = createLogLines("info");
    {
      await using maintenance = maintenanceOf(CHAIN, 1_000, logger);
      maintenance.atHead();
      await until(batchedBlocks, (it) => it === 0, "the indexes to be rebuilt", 5);
    }
    const rebuilt = await files();
    for (const [position, file] of rebuilt.split(",").entries()) expect(before.split(",")[position]).not.toBe(file);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "chain 11: the indexes are rebuilt in the background, after 1000 new blocks",
      expect.stringMatching(/^chain 11: \d+ indexes took [\d.]+ MB, now [\d.]+ MB$/),
    ]);
    await expectNoRebuild(1_000);
    expect(await files()).toBe(rebuilt);
  });

  it.each([
    ["fewer blocks were written than the setting says", 999, 999, 1_000],
    ["only a small part of the chain is new", 1_000, 10_001, 1_000],
    ["the setting is 0", 1_000, 999, 0],
  ])("stay as they are if %s", async (_reason, batched, blockNumber, setting) => {
    await setHead(batched, blockNumber);
    const before = await files();
    await expectNoRebuild(setting);
    expect(await files()).toBe(before);
    expect(await batchedBlocks()).toBe(batched);
  });

  it("are rebuilt by the next process if the first one ends before, without the index that this leaves behind", async () => {
    await setHead(1_000, 999);
    const invalid = async (): Promise<number> =>
      (await database.pool.query("SELECT FROM pg_index WHERE NOT indisvalid")).rowCount ?? 0;
    {
      await using lock = await lockTable(`evm_logs_${CHAIN}`, "ROW EXCLUSIVE");
      await using maintenance = maintenanceOf(CHAIN, 1_000);
      maintenance.atHead();
      await lock.untilBlocks("REINDEX");
    }
    expect([await invalid(), await batchedBlocks()]).toEqual([1, 1_000]);
    await using maintenance = maintenanceOf(CHAIN, 1_000);
    maintenance.atHead();
    await until(batchedBlocks, (it) => it === 0, "the indexes to be rebuilt", 5);
    expect(await invalid()).toBe(0);
  });

  it("are not rebuilt while another process does it, and ten minutes later", async () => {
    await setHead(1_000, 999);
    const { logger, lines } = createLogLines("warn");
    let timeMs = 0;
    const nowMs = () => timeMs;
    const deps = { url: database.url, chainId: CHAIN, rebuildIndexesAfterBlocks: 1_000, logger, nowMs };
    await using maintenance = maintenanceAlone(deps);
    const other = await openLongSession(database.url, "other");
    await other.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`moraine indexes ${CHAIN}`]);
    const untilLines = (count: number) =>
      until(
        async () => {
          maintenance.atHead();
          return lines.length;
        },
        (it) => it === count,
        "a line",
        5,
      );
    await untilLines(1);
    timeMs = 599_000;
    maintenance.atHead();
    timeMs = 601_000;
    await untilLines(2);
    for (const { msg } of lines)
      expect(msg).toBe("the maintenance of the tables failed: another process rebuilds the indexes of chain 11");
    await other.end();
    timeMs = 1_300_000;
    await until(
      async () => {
        maintenance.atHead();
        return batchedBlocks();
      },
      (it) => it === 0,
      "the indexes to be rebuilt",
      5,
    );
  });

  /** Tells a new process that the chain has caught up, and waits until it has looked whether the indexes are due. */
  async function expectNoRebuild(setting: number): Promise<void> {
    const { logger, lines } = createLogLines("info");
    await rebuildAfterCatchUp(database.pool, {
      chainId: CHAIN,
      rebuildIndexesAfterBlocks: setting,
      logger,
      signal: new AbortController().signal,
    });
    expect(lines).toEqual([]);
  }
});
