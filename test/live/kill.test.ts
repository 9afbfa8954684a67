import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { writerLockKey } from "../../indexer/shared/writer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { startOwnServer } from "../support/database/own-server.ts";
import { dumpRawBlocks, dumpRawTraces, dumpTables } from "../support/database/tables.ts";
import { isFullRun } from "../support/full.ts";
import { indexedChains, untilIndexed } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { createRandomIntegers } from "../support/random.ts";
import { expectSameRows } from "./expect-same-rows.ts";
import { startKillableIndexer } from "./killable-indexer.ts";

const C = 760_011;
const L1 = 760_012;
const KILLS = isFullRun ? 20 : 3;
/** A process starts for each kill, which takes long on a busy machine. */
const KILLS_TIMEOUT_MS = 240_000;
const recording = openRecording(ALPHA);
/** Part of the test's title. The same MORAINE_SEED repeats the kills at about the same moments. */
const seed = Number(process.env["MORAINE_SEED"] ?? randomInt(2 ** 31));

type Held = Pick<TestDatabase, "pool">;

/** All stored data of both chains. */
async function everything({ pool }: Held): Promise<unknown[]> {
  const dumps = [dumpTables, dumpRawBlocks, dumpRawTraces];
  const messages = await pool.query("SELECT * FROM icm_messages ORDER BY message_id");
  return [
    messages.rows,
    ...(await Promise.all([C, L1].map((chain) => Promise.all(dumps.map((dump) => dump(pool, chain)))))),
  ];
}

/** The last blocks of the recording to which each test indexes. */
const SHARE = isFullRun ? 1 : 0.4;
const heads: Readonly<Record<string, number>> = Object.fromEntries(
  recording.manifest.chains.map(({ alias, height }) => [alias, Math.floor(height * SHARE)]),
);
const HEADS = { [C]: heads["C"] ?? 0, [L1]: heads["l1"] ?? 0 };

let uninterrupted: unknown[];
beforeAll(async () => {
  await using upstream = await startNode();
  await using database = await createTestDatabase();
  await using _indexer = startIndexer(configOf(upstream, database.url, 50), database.url, createLogger("silent"));
  await untilIndexed(database, HEADS);
  uninterrupted = await everything(database);
});

async function expectUninterrupted(database: TestDatabase): Promise<void> {
  await untilIndexed(database, HEADS);
  expectSameRows(await everything(database), uninterrupted);
  await untilProven(database);
}

/** Waits until a comparison at the head has found no difference, in spite of the kills. */
async function untilProven({ pool }: Held): Promise<void> {
  await until(
    async () => (await pool.query("SELECT chain_id, block_number, differing_count FROM chain_verifications")).rows,
    (rows) =>
      Object.entries(HEADS).every(([chain, head]) =>
        rows.some((row) => row.chain_id === chain && row.block_number === String(head) && row.differing_count === "0"),
      ),
    "both chains to be proven",
  );
}

/** The recorded node with the heads of these tests. */
async function startNode(): Promise<ReplayNode> {
  const node = await startReplayNode({ recording });
  setHeads(node, 1);
  return node;
}

const configOf = (node: { readonly url: string }, databaseUrl: string, batchBlocks = 5) =>
  testConfig({
    databaseUrl,
    evmChains: demoConfig(recording.manifest, node.url),
    indexing: { pollIntervalMs: 25, standbyPollMs: 25, batchBlocks, maxBatchSize: 4, proofEveryBlocks: 5 },
  });

/** Sets both heads to this share of the blocks of these tests. */
function setHeads(node: ReplayNode, share: number): void {
  for (const alias of ["C", "l1"]) node.setHead(alias, Math.floor((heads[alias] ?? 0) * share));
}

const WRITERS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'moraine writer%'";

/** The session that writes the C-Chain. */
const WRITER_OF_C = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) | objid::bigint = ${writerLockKey(`'${C}'`)}`;

async function count({ pool }: Held, text: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n ${text}`);
  return rows[0]?.n ?? 0;
}

/** Reads the height of the C-Chain's last indexed block; -1 before the first. */
const indexedHead =
  ({ pool }: Held) =>
  async (): Promise<number> => {
    const text = "SELECT block_number FROM chain_heads WHERE chain_id = $1";
    return Number((await pool.query<{ block_number: string }>(text, [C])).rows[0]?.block_number ?? -1);
  };

it.concurrent(
  `an indexer that is killed ${KILLS} times, in transactions and between them, neither loses nor repeats rows (seed ${seed})`,
  async () => {
    const integers = createRandomIntegers(seed);
    const random = () => integers() / 2 ** 32;
    await using database = await createTestDatabase();
    await using upstream = await startNode();
    await using node = await startFaultyNode({ upstream: upstream.url });
    node.faults.delayMs = 25;
    const config = configOf(node, database.url, 2);
    const writers = (condition: string) => count(database, `${WRITERS} AND ${condition}`);
    let running = await startKillableIndexer();
    let inTheMiddle = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      await until(
        () => writers("true"),
        (sessions) => sessions === 0,
        "the sessions of the killed process to end",
      );
      const next = await startKillableIndexer();
      running.begin(config);
      await until(
        () => writers("true"),
        (sessions) => sessions > 0,
        "a writer",
      );
      await sleep(250 * random());
      // Half of the kills wait for an open transaction; most others hit the indexer while it waits for the node.
      const isInTransaction = random() < 0.5;
      if (isInTransaction)
        await until(
          () => writers("state <> 'idle'"),
          (open) => open > 0,
          "a transaction",
          1,
        );
      await running.kill();
      if ((await indexedHead(database)()) < (heads["C"] ?? 0)) inTheMiddle++;
      running = next;
    }
    expect(inTheMiddle).toBeGreaterThan(KILLS / 2);
    await using last = running;
    await node.heal();
    last.begin(config);
    await expectUninterrupted(database);
  },
  KILLS_TIMEOUT_MS,
);

/** Lets each transaction that writes or deletes rows of blocks wait in its middle. */
const SLOW = `CREATE FUNCTION wait() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END' LANGUAGE plpgsql;
  CREATE TRIGGER wait BEFORE INSERT OR DELETE ON evm_blocks EXECUTE FUNCTION wait()`;

it.concurrent(
  "an indexer that is killed in each transaction that computes rows of another version again leaves the rows of an undisturbed index",
  async () => {
    await using database = await indexedChains(ALPHA);
    await using node = await startReplayNode({ recording, heads: "full" });
    const before = await everything(database);
    const config = configOf(node, database.url);
    await database.pool.query("UPDATE chain_heads SET rows_version = 1");
    await database.pool.query(SLOW);
    const last = node.head("C");
    // The old rows are deleted, and the blocks are written in batches of 100.
    for (const head of [last, -1, 99, 199]) {
      await using killed = await startKillableIndexer();
      killed.begin(config);
      await until(
        async () => [await isWaiting(database), await indexedHead(database)()],
        ([isIn, committed]) => isIn === true && committed === head,
        `a transaction after block ${head}`,
        1,
      );
      await killed.kill();
    }
    await database.pool.query("DROP FUNCTION wait CASCADE");
    await using running = await startKillableIndexer();
    running.begin(config);
    await untilIndexed(database, { [C]: last, [L1]: node.head("l1") });
    expectSameRows(await everything(database), before);
  },
  KILLS_TIMEOUT_MS,
);

const isWaiting = async (database: Held): Promise<boolean> =>
  (await count(
    database,
    `FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'moraine writer%' AND wait_event = 'PgSleep'`,
  )) > 0;

it.concurrent("of two indexers one writes a chain; the other waits and takes over when the first is killed", async () => {
  await using database = await createTestDatabase();
  await using upstream = await startNode();
  await using node = await startFaultyNode({ upstream: upstream.url });
  node.faults.delayMs = 10;
  setHeads(upstream, 0.5);
  const config = configOf(node, database.url);
  await using first = await startKillableIndexer();
  await using second = await startKillableIndexer();
  first.begin(config);
  await until(indexedHead(database), (head) => head > 20, "the first to write");
  second.begin(config);
  const locks = `FROM pg_locks JOIN pg_database d ON d.oid = pg_locks.database
    WHERE locktype = 'advisory' AND granted AND d.datname = current_database()`;
  for (let i = 0; i < 20; i++) {
    expect(await count(database, locks)).toBe(2);
    await sleep(25);
  }
  await first.kill();
  setHeads(upstream, 1);
  await expectUninterrupted(database);
});

describe("an indexer whose database fails", () => {
  /** Indexes both chains in this process, and disturbs the writer of the first chain at two blocks. */
  async function indexWhile(database: TestDatabase, fail: (writerPid: number) => Promise<unknown>): Promise<void> {
    await using upstream = await startNode();
    await using node = await startFaultyNode({ upstream: upstream.url });
    node.faults.delayMs = 10;
    await using _indexer = startIndexer(configOf(node, database.url), database.url, createLogger("silent"));
    for (const passed of [30, 90]) {
      await until(indexedHead(database), (head) => head > passed, `block ${passed}`);
      const { rows } = await database.pool.query<{ pid: number }>(WRITER_OF_C);
      await fail(rows[0]?.pid ?? 0);
    }
    await node.heal();
    await expectUninterrupted(database);
  }

  it.concurrent("continues without lost rows after its session is terminated", async () => {
    await using database = await createTestDatabase();
    await indexWhile(database, (pid) => database.pool.query("SELECT pg_terminate_backend($1)", [pid]));
  });

  it.concurrent("continues without lost rows after SIGKILL to its session's process: PostgreSQL crashes and loses its last asynchronous commits", async () => {
    await using server = await startOwnServer();
    await migrate(server.url);
    await using database = openDatabase(server.url, 5, createLogger("silent"));
    // The machine does not crash; a recovery would otherwise sync every file of the cluster.
    await database.pool.query("ALTER SYSTEM SET fsync = off");
    await database.pool.query("SELECT pg_reload_conf()");
    // The server treats a killed session as a crash: it ends all others and recovers from its log.
    await indexWhile({ ...database, prisma: database.evm.prisma, url: server.url }, async (pid) => {
      process.kill(pid, "SIGKILL");
      const isDown = () =>
        database.pool.query("SELECT 1").then(
          () => false,
          () => true,
        );
      await until(isDown, (down) => down, "the crash", 1);
      await until(isDown, (down) => !down, "the server's recovery");
    });
  });
});
