import pino from "pino";
import { openPool } from "../../core/database/database.ts";
import { createRedaction } from "../../core/errors/redaction.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { createProgress } from "./progress.ts";
import { createProgressRows, type ProgressRow } from "./progress-rows.ts";

const logger = createLogger("silent");
const ROW: ProgressRow = { table: "chain_progress", key: { chain_id: "7" } };

const stored = async ({ pool }: TestDatabase) =>
  (await pool.query("SELECT state, reason, node_block_number FROM chain_progress")).rows;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.pool.query("TRUNCATE chain_progress, primary_progress"));
afterAll(() => database[Symbol.asyncDispose]());

describe("the progress of a chain", () => {
  it("is stored when the state or its reason changes, and when only a number changes", async () => {
    await using progress = createProgress({
      rows: createProgressRows(database.pool, logger),
      row: ROW,
      name: "a chain",
      logger,
    });
    progress.update({ state: "WAITING", reason: "the node is down" });
    await until(
      () => stored(database),
      ([row]) => row?.state === "WAITING",
      "the state",
    );
    expect(await stored(database)).toEqual([{ state: "WAITING", reason: "the node is down", node_block_number: null }]);
    progress.update({ nodeBlockNumber: 5 });
    await until(
      () => stored(database),
      ([row]) => row?.node_block_number === "5",
      "the node's block number",
    );
  });

  it("is stored with its last values if they change quickly", async () => {
    const progress = createProgress({
      rows: createProgressRows(database.pool, logger),
      row: ROW,
      name: "a chain",
      logger,
    });
    for (let i = 0; i < 100; i++) progress.update({ state: i % 2 ? "STOPPED" : "WAITING", reason: `reason ${i}` });
    await progress[Symbol.asyncDispose]();
    expect(await stored(database)).toMatchObject([{ state: "STOPPED", reason: "reason 99" }]);
  });

  it("has a row of its own for each chain of a primary network", async () => {
    const rowOf = (chain: string): ProgressRow => ({ table: "primary_progress", key: { network_id: "5", chain } });
    {
      await using p = createProgress({
        rows: createProgressRows(database.pool, logger),
        row: rowOf("P"),
        name: "P-Chain",
        logger,
      });
      await using x = createProgress({
        rows: createProgressRows(database.pool, logger),
        row: rowOf("X"),
        name: "X-Chain",
        logger,
      });
      p.update({ state: "FOLLOWING", nodeBlockNumber: 9, fetchedBlockNumber: 8, headSeenAt: 1_000 });
      x.update({ state: "STOPPED", reason: "the node's data is inconsistent" });
    }
    const { rows } = await database.pool.query("SELECT * FROM primary_progress ORDER BY chain");
    expect(rows).toMatchObject([
      {
        network_id: "5",
        chain: "P",
        state: "FOLLOWING",
        node_block_number: "9",
        fetched_block_number: "8",
        head_seen_at: "1000",
      },
      {
        network_id: "5",
        chain: "X",
        state: "STOPPED",
        reason: "the node's data is inconsistent",
        node_block_number: null,
      },
    ]);
    {
      // After a restart, the time at which the head was last seen stays until a later one is known.
      await using p = createProgress({
        rows: createProgressRows(database.pool, logger),
        row: rowOf("P"),
        name: "P-Chain",
        logger,
      });
      p.update({ state: "WAITING", reason: "the node is down" });
    }
    const text = "SELECT state, head_seen_at FROM primary_progress WHERE chain = 'P'";
    expect((await database.pool.query(text)).rows).toEqual([{ state: "WAITING", head_seen_at: "1000" }]);
  });

  it("is logged with the reason and the detail of a state; callers see only the reason", async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    {
      await using progress = createProgress({
        rows: createProgressRows(database.pool, logger),
        row: ROW,
        name: "a chain",
        logger: log,
      });
      progress.update({ state: "WAITING", reason: "the node is down", detail: "at 10.0.0.7" });
      progress.update({ state: "STOPPED", reason: "the node serves chain 8, not 7" });
      progress.update({ state: "FOLLOWING", reason: null });
    }
    expect(lines.map(({ reason, detail, msg }) => [reason, detail, msg])).toEqual([
      ["the node is down", "at 10.0.0.7", "indexing waits: the node is down"],
      ["the node serves chain 8, not 7", undefined, "indexing has stopped: the node serves chain 8, not 7"],
      [undefined, undefined, "indexing follows the node's head"],
    ]);
    expect(JSON.stringify((await database.pool.query("SELECT * FROM chain_progress")).rows)).not.toContain("10.0.0.7");
  });

  it("logs an outage when it begins and when it ends, with the number of its failures", async () => {
    const { logger: log, lines } = createLogLines("info");
    await using progress = createProgress({
      rows: createProgressRows(database.pool, logger),
      row: ROW,
      name: "a chain",
      logger: log,
    });
    for (let i = 0; i < 50; i++) progress.update({ state: "WAITING", reason: `failure ${i}`, detail: `at ${i}` });
    progress.update({ nodeBlockNumber: 7 });
    progress.update({ state: "FOLLOWING", reason: null });
    expect(lines).toMatchObject([
      { chainId: "7", state: "WAITING", reason: "failure 0", msg: "indexing waits: failure 0" },
      { chainId: "7", state: "FOLLOWING", failures: 50, seconds: 0, msg: "indexing follows the node's head" },
    ]);
  });

  it("has the last error as its reason after a restart, until the chain works", async () => {
    let worked = 0;
    const options = { rows: createProgressRows(database.pool, logger), row: ROW, name: "a chain", logger };
    await using progress = createProgress({ ...options, lastError: "it failed", worked: () => void worked++ });
    progress.update({ blockNumber: 5 });
    expect(progress.current).toMatchObject({ state: "WAITING", reason: "it failed", blockNumber: 5 });
    await until(
      () => stored(database),
      ([row]) => row?.state === "WAITING" && row.reason === "it failed",
      "the last error",
    );
    expect(worked).toBe(0);
    progress.update({ state: "FOLLOWING", reason: null });
    expect(worked).toBe(1);
  });

  it("never has secrets of the node's URL, which a reason may quote", async () => {
    const redact = createRedaction({ url: "https://user:pass-word@node.example/key-in-path/rpc" });
    const options = { rows: createProgressRows(database.pool, logger), row: ROW, name: "a chain", logger, redact };
    await using progress = createProgress(options);
    progress.update({ state: "STOPPED", reason: 'block 5: hash is "https://a:b@c/key-in-path", by pass-word' });
    expect(progress.current.reason).toBe('block 5: hash is "[removed]", by [removed]');
  });

  it("is kept in memory and causes no error while the database is unavailable", async () => {
    await using away = openPool("postgresql://nobody@127.0.0.1:9/none", 1, logger);
    {
      await using progress = createProgress({
        rows: createProgressRows(away.pool, logger),
        row: ROW,
        name: "a chain",
        logger,
      });
      progress.update({ state: "FOLLOWING", blockNumber: 12 });
      expect(progress.current).toMatchObject({ state: "FOLLOWING", blockNumber: 12 });
    }
  });

  it("is stored for all chains of a process in one statement, also beside a text that PostgreSQL refuses", async () => {
    const texts: string[] = [];
    const { pool } = database;
    const query = (sent: { text: string }) => {
      texts.push(sent.text);
      return pool.query(sent);
    };
    const rows = createProgressRows({ query } as typeof pool, logger);
    const all = Array.from({ length: 40 }, (_, i) => {
      const row: ProgressRow = { table: "chain_progress", key: { chain_id: String(i) } };
      return createProgress({ rows, row, name: "a chain", logger });
    });
    for (const [i, progress] of all.entries()) progress.update({ state: "FOLLOWING", nodeBlockNumber: i });
    await rows.write();
    expect(texts).toHaveLength(1);
    all[17]?.update({ state: "STOPPED", reason: "a\0b" });
    for (const progress of all) progress.update({ nodeBlockNumber: 100 });
    await rows.write();
    const text = "SELECT chain_id::int FROM chain_progress WHERE node_block_number < 100";
    expect((await pool.query(text)).rows).toEqual([{ chain_id: 17 }]);
    all[17]?.update({ reason: "ab" });
    for (const progress of all) await progress[Symbol.asyncDispose]();
    expect((await pool.query(text)).rows).toEqual([]);
  });
});
