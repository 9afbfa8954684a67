import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import type { Compression } from "../../core/database/operations.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { completePath } from "../../exporter/files/local-store.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { startOwnServer } from "../support/database/own-server.ts";
import type { ExporterProcessOptions } from "../support/exports/exporter-process.ts";
import { startKillableExporter } from "../support/exports/killable-exporter.ts";
import { exportedRows } from "../support/exports/numbered-source.ts";
import { parseFile, readOperation, startOperation, untilEnded, untilOperation } from "../support/exports/operations.ts";
import { isFullRun } from "../support/full.ts";
import { until } from "../support/indexed/indexing.ts";
import { createRandomIntegers } from "../support/random.ts";

const WORKER_KILLS = isFullRun ? 20 : 2;
const SERVER_KILLS = isFullRun ? 5 : 1;
const ROWS = 3_000 * (isFullRun ? 5 : 1);
/** Each kill needs a new process, which takes long on a busy machine. */
const TIMEOUT_MS = 240_000;
/** Part of the tests' titles. The same MORAINE_SEED repeats the kills at about the same moments. */
const seed = Number(process.env["MORAINE_SEED"] ?? randomInt(2 ** 31));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "moraine-export-kill-"));
  folders.push(folder);
  return folder;
}

const optionsOf = (databaseUrl: string, directory: string): ExporterProcessOptions => ({
  config: { exports: { directory } },
  databaseUrl,
  source: { rows: ROWS, rowsPerDay: 500, batchRows: 50, delayMs: 10 },
  timings: { sweepMs: 100, deadAfterMs: 500, partRows: 120, progressMs: 20 },
});

/** The only file in the directory is complete: it has all rows once, in order. */
async function expectOneCompleteFile(pool: pg.Pool, directory: string, operationId: string): Promise<void> {
  const operation = await untilEnded(pool, operationId);
  expect(operation).toMatchObject({ operation_status: "COMPLETED", total_rows: String(ROWS) });
  const path = completePath(directory, operation.checkpoint ?? "") ?? "";
  expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([path]);
  expect(parseFile(readFileSync(path), operation)).toEqual(exportedRows(1, ROWS, 500));
  await until(
    async () => (await pool.query("SELECT FROM graphile_worker.jobs")).rowCount,
    (jobs) => jobs === 0,
    "the queue to be empty",
  );
}

/** Resolves when the job has gone on since `version`, or has ended. Returns true while it runs. */
async function untilGoneOn(pool: pg.Pool, operationId: string, version: bigint): Promise<boolean> {
  const operation = await untilOperation(
    pool,
    operationId,
    ({ version: current, operation_status: status }) => BigInt(current) > version || status !== "RUNNING",
    "the job to go on",
  );
  return operation.operation_status === "RUNNING";
}

const versionOf = async (pool: pg.Pool, id: string) => BigInt((await readOperation(pool, id))?.version ?? 0);

it.concurrent.each<Compression>(isFullRun ? ["NONE", "GZIP"] : ["GZIP"])(
  `a worker that is killed ${WORKER_KILLS} times at random moments leaves one complete file (compression %s, seed ${seed})`,
  async (compression) => {
    const random = createRandomIntegers(seed);
    await using database = await createTestDatabase();
    const directory = newFolder();
    const id = await startOperation(database.pool, { compression });
    let running = await startKillableExporter();
    let killedInTheMiddle = 0;
    for (let kills = 0; kills < WORKER_KILLS; kills++) {
      const next = await startKillableExporter();
      const version = await versionOf(database.pool, id);
      running.begin(optionsOf(database.url, directory));
      await untilGoneOn(database.pool, id, version);
      await sleep(random() % 250);
      await running.kill();
      if ((await readOperation(database.pool, id))?.operation_status === "RUNNING") killedInTheMiddle++;
      running = next;
    }
    expect(killedInTheMiddle).toBeGreaterThan(WORKER_KILLS / 2);
    await using last = running;
    last.begin(optionsOf(database.url, directory));
    await expectOneCompleteFile(database.pool, directory, id);
  },
  TIMEOUT_MS,
);

it.concurrent(
  "the job of a killed worker is continued by another that runs beside it",
  async () => {
    await using database = await createTestDatabase();
    const directory = newFolder();
    const id = await startOperation(database.pool);
    await using first = await startKillableExporter();
    await using second = await startKillableExporter();
    first.begin(optionsOf(database.url, directory));
    await untilOperation(database.pool, id, ({ checkpoint }) => JSON.parse(checkpoint ?? "{}").rows > 0, "a part");
    second.begin(optionsOf(database.url, directory));
    await first.kill();
    const killed = await readOperation(database.pool, id);
    await expectOneCompleteFile(database.pool, directory, id);
    // It has not begun again.
    expect((await readOperation(database.pool, id))?.started_at).toBe(killed?.started_at);
  },
  TIMEOUT_MS,
);

it.concurrent(
  `an exporter connects again and completes the file after ${SERVER_KILLS} crashes of PostgreSQL, each by SIGKILL to a session's process (seed ${seed})`,
  async () => {
    const random = createRandomIntegers(seed);
    await using server = await startOwnServer();
    await migrate(server.url);
    await using database = openDatabase(server.url, 3, createLogger("silent"));
    const directory = newFolder();
    const id = await startOperation(database.pool);
    await using exporter = await startKillableExporter();
    exporter.begin(optionsOf(server.url, directory));
    for (let kills = 0; kills < SERVER_KILLS; kills++) {
      await untilGoneOn(database.pool, id, await versionOf(database.pool, id).catch(() => 0n));
      await sleep(random() % 250);
      // The server treats a killed session as a crash: it ends all others and recovers from its log.
      const text =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() LIMIT 1";
      const [session] = (await database.pool.query<{ pid: number }>(text)).rows;
      if (session) process.kill(session.pid, "SIGKILL");
    }
    await expectOneCompleteFile(database.pool, directory, id);
  },
  TIMEOUT_MS,
);
