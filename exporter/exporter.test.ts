import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { testConfig } from "../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { itWithSmallDisk, mountSmallDisk } from "../test/support/database/small-disk.ts";
import { createNumberedSource, exportedRows, type NumberedOptions } from "../test/support/exports/numbered-source.ts";
import {
  cancelOperation,
  parseFile,
  readOperation,
  type StoredOperation,
  startOperation,
  untilEnded,
  untilNoJobs,
  untilOperation,
} from "../test/support/exports/operations.ts";
import { until } from "../test/support/indexed/indexing.ts";
import { createLogLines } from "../test/support/log-lines.ts";
import { startTcpProxy } from "../test/support/node/tcp-proxy.ts";
import { startExporter } from "./exporter.ts";
import { completePath } from "./files/local-store.ts";
import { type ExporterTimings, TIMINGS } from "./timings.ts";

const SOURCE: NumberedOptions = { rows: 1_000, rowsPerDay: 200, batchRows: 60, delayMs: 0 };
const FAST: ExporterTimings = { ...TIMINGS, sweepMs: 100, cleanUpMs: 100, deadAfterMs: 300, partRows: 200 };

/** A directory that does not exist yet, in one that is deleted at the end. */
function newDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), "moraine-exports-"));
  folders.push(folder);
  return join(folder, "exports");
}
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly databaseUrl?: string;
  readonly source?: Partial<NumberedOptions>;
  readonly directory?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly timings?: Partial<ExporterTimings>;
  readonly nowSeconds?: () => number;
}

function start(
  database: TestDatabase,
  { databaseUrl = database.url, source, directory = newDirectory(), exports, timings, nowSeconds }: Started = {},
) {
  const exporter = startExporter({
    config: testConfig({ exports: { directory, ...exports } }),
    databaseUrl,
    logger: createLogger("silent"),
    createSource: (request) => createNumberedSource({ ...SOURCE, ...source }, request.firstDate),
    timings: { ...FAST, ...timings },
    ...(nowSeconds ? { nowSeconds } : {}),
  });
  return { ...exporter, directory };
}

/** The rows of the complete file, which must be the only one in the directory. */
function onlyFile(directory: string, operation: StoredOperation): string[][] {
  const path = completePath(directory, operation.checkpoint ?? "") ?? "";
  expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([path]);
  return parseFile(readFileSync(path), operation);
}

const FORMS = [
  { compression: "NONE" },
  { compression: "GZIP" },
  { compression: "NONE", byteOrderMark: true },
  { compression: "GZIP", byteOrderMark: true },
] as const;

const NO_ROOM = "the disk for exported files is full; the export continues after its last part when the disk has room";

const numbered = (from: number, to: number) => exportedRows(from, to, SOURCE.rowsPerDay);

const wasStarted = ({ row_count: rows }: StoredOperation) => Number(rows) > 0;

describe("an export job", () => {
  it.each(FORMS)("writes all rows in parts, and ends as completed (%j)", async (form) => {
    await using database = await createTestDatabase();
    await using exporter = start(database);
    const operation = await untilEnded(database.pool, await startOperation(database.pool, form));
    expect(operation).toMatchObject({
      operation_status: "COMPLETED",
      code: null,
      message: null,
      next_date: null,
      total_rows: "1000",
      file_name: `transactions-evm-${operation.operation_id.slice(0, 8)}.csv${form.compression === "GZIP" ? ".gz" : ""}`,
      started_at: expect.any(String),
    });
    expect(Number(operation.expires_at) - Number(operation.ended_at)).toBe(604_800);
    expect(onlyFile(exporter.directory, operation)).toEqual(numbered(1, 1_000));
    expect(statSync(exporter.directory).mode & 0o777).toBe(0o700);
  });

  it("without rows writes a file with the header alone", async () => {
    await using database = await createTestDatabase();
    await using exporter = start(database, { source: { rows: 0 } });
    const operation = await untilEnded(database.pool, await startOperation(database.pool));
    expect(operation).toMatchObject({ operation_status: "COMPLETED", row_count: "0", total_rows: "0" });
    expect(onlyFile(exporter.directory, operation)).toEqual([]);
  });

  it("with too many rows is truncated between days; following nextDate gives each row once, in whole files", async () => {
    await using database = await createTestDatabase();
    const exported: string[][] = [];
    const statuses: string[] = [];
    await using exporter = start(database, { exports: { maxRows: 500 } });
    let firstDate: string | null = "2024-01-01";
    while (firstDate !== null) {
      const operation: StoredOperation = await untilEnded(
        database.pool,
        await startOperation(database.pool, { firstDate, byteOrderMark: true }),
      );
      const path = completePath(exporter.directory, operation.checkpoint ?? "") ?? "";
      exported.push(...parseFile(readFileSync(path), operation));
      statuses.push(`${operation.operation_status} ${operation.code} ${operation.row_count}`);
      firstDate = operation.next_date;
    }
    expect(statuses).toEqual([
      "COMPLETED_WITH_WARNING WarnTruncatedExport 400",
      "COMPLETED_WITH_WARNING WarnTruncatedExport 400",
      "COMPLETED null 200",
    ]);
    expect(exported).toEqual(numbered(1, 1_000));
  });

  it("whose first day alone has too many rows exports that day whole", async () => {
    await using database = await createTestDatabase();
    await using exporter = start(database, { exports: { maxRows: 100 } });
    const operation = await untilEnded(database.pool, await startOperation(database.pool));
    expect(operation).toMatchObject({ code: "WarnTruncatedExport", next_date: "2024-01-02" });
    expect(onlyFile(exporter.directory, operation)).toEqual(numbered(1, 200));
  });

  it("has the warnings of its rows as its message, beside that of a truncation", async () => {
    await using database = await createTestDatabase();
    const source = { warnings: ["chain 1 has no internal transactions"] };
    {
      await using _exporter = start(database, { source });
      const whole = await untilEnded(database.pool, await startOperation(database.pool));
      expect(whole).toMatchObject({ operation_status: "COMPLETED", code: null, message: source.warnings[0] });
    }
    await using _exporter = start(database, { source, exports: { maxRows: 500 } });
    expect(await untilEnded(database.pool, await startOperation(database.pool))).toMatchObject({
      operation_status: "COMPLETED_WITH_WARNING",
      message: expect.stringMatching(/^the export has more than 500 rows: .*; chain 1 has no internal transactions$/),
    });
  });

  it.each([
    [new Failure("NOT_FOUND", "chain 1 is not configured"), "ErrInvalidRequest", "chain 1 is not configured"],
    [new TypeError("secret detail"), "ErrInternal", "the export failed because of an internal error"],
  ])("that can never succeed ends as failed (%s)", async (error, code, message) => {
    await using database = await createTestDatabase();
    const directory = newDirectory();
    await using _exporter = startExporter({
      config: testConfig({ exports: { directory } }),
      databaseUrl: database.url,
      logger: createLogger("silent"),
      createSource: () => ({ ...createNumberedSource(SOURCE), countDays: () => Promise.reject(error) }),
      timings: FAST,
    });
    const operation = await untilEnded(database.pool, await startOperation(database.pool));
    expect(operation).toMatchObject({ operation_status: "FAILED", code, message, is_cancelled: false, sha256: null });
    expect(Number(operation.expires_at)).toBeGreaterThan(Number(operation.ended_at));
    await untilNoJobs(database.pool);
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
  });

  itWithSmallDisk("whose disk is full ends as failed with that reason, and leaves nothing", async () => {
    await using database = await createTestDatabase();
    const directory = newDirectory();
    using _disk = mountSmallDisk(directory);
    await using _exporter = start(database, { directory, source: { rows: 60_000, batchRows: 3_000 } });
    const operation = await untilEnded(database.pool, await startOperation(database.pool));
    expect(operation).toMatchObject({
      operation_status: "FAILED",
      code: "ErrInternal",
      message: "the disk for exported files is full",
    });
    await untilNoJobs(database.pool);
    expect(readdirSync(directory)).toEqual([]);
  });
});

it("runs jobs after a database that was not available when the worker first looked for a job", async () => {
  await using database = await createTestDatabase();
  await using proxy = await startTcpProxy(database.url);
  proxy.cut();
  await using _exporter = start(database, { databaseUrl: proxy.through(database.url) });
  // The worker, its listeners and the search for dead workers have all tried to connect.
  await until(
    async () => proxy.refused(),
    (count) => count >= 10,
    "the exporter to connect",
  );
  proxy.restore();
  const id = await startOperation(database.pool);
  expect(await untilEnded(database.pool, id)).toMatchObject({ operation_status: "COMPLETED" });
});

it("the log has one line for the start of an export, and one for its end with its size and time", async () => {
  await using database = await createTestDatabase();
  const { logger, lines } = createLogLines("info");
  const failing = () => Promise.reject(new Failure("NOT_FOUND", "chain 1 is not configured"));
  await using _exporter = startExporter({
    config: testConfig({ exports: { directory: newDirectory() } }),
    databaseUrl: database.url,
    logger,
    createSource({ compression, firstDate }) {
      const source = createNumberedSource({ ...SOURCE, delayMs: compression === "GZIP" ? 100 : 0 });
      return firstDate === null ? source : { ...source, countDays: failing };
    },
    nowSeconds: () => 1_000,
    timings: FAST,
  });
  const completed = await untilEnded(database.pool, await startOperation(database.pool));
  const failed = await untilEnded(database.pool, await startOperation(database.pool, { firstDate: "2024-01-01" }));
  const cancelled = await startOperation(database.pool, { compression: "GZIP" });
  await untilOperation(database.pool, cancelled, wasStarted, "the first rows");
  await cancelOperation(database.pool, cancelled);
  await untilEnded(database.pool, cancelled);
  await untilNoJobs(database.pool);
  const type = "TRANSACTION_EXPORT_EVM";
  const end = { type, rows: expect.any(Number), bytes: expect.any(Number), seconds: 0 };
  const started = { type, status: "RUNNING", msg: "an export has started" };
  const linesOf = (operationId: string) =>
    lines.filter((line) => line["operationId"] === operationId && line["level"] === 30);
  const bytes = Number(completed.byte_count);
  expect(linesOf(completed.operation_id)).toMatchObject([
    started,
    { ...end, status: "COMPLETED", rows: 1_000, bytes, msg: "an export has completed" },
  ]);
  expect(linesOf(failed.operation_id)).toMatchObject([
    started,
    { ...end, status: "FAILED", code: "ErrInvalidRequest", msg: "an export has failed" },
  ]);
  expect(linesOf(cancelled)).toMatchObject([
    started,
    { ...end, status: "FAILED", code: null, msg: "an export was cancelled" },
  ]);
});

describe("a cancelled export", () => {
  const CANCELLED = { operation_status: "FAILED", code: null, message: "the export was cancelled", is_cancelled: true };

  it("that runs is ended, and leaves nothing", async () => {
    await using database = await createTestDatabase();
    await using exporter = start(database, { source: { delayMs: 100 }, timings: { sweepMs: 60_000 } });
    const id = await startOperation(database.pool);
    await untilOperation(database.pool, id, wasStarted, "the first rows");
    await cancelOperation(database.pool, id);
    expect(await untilEnded(database.pool, id)).toMatchObject(CANCELLED);
    await untilNoJobs(database.pool);
    expect(readdirSync(exporter.directory)).toEqual([]);
  });

  it("whose statement runs for long is ended, and the statement too", async () => {
    await using database = await createTestDatabase();
    await using _exporter = startExporter({
      config: testConfig({ exports: { directory: newDirectory() } }),
      databaseUrl: database.url,
      logger: createLogger("silent"),
      createSource: () => ({
        ...createNumberedSource(SOURCE),
        async countDays(client) {
          await client.query("SELECT pg_sleep(1000)");
          return [];
        },
      }),
      timings: { ...FAST, sweepMs: 60_000 },
    });
    const id = await startOperation(database.pool);
    const sleeping = async () => {
      const text =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid() AND state = 'active'";
      return (await database.pool.query(text)).rowCount ?? 0;
    };
    await until(sleeping, (count) => count === 1, "the statement");
    await cancelOperation(database.pool, id);
    expect(await untilEnded(database.pool, id)).toMatchObject(CANCELLED);
    await until(sleeping, (count) => count === 0, "the statement to end");
  });

  it("that waits for a worker is ended", async () => {
    await using database = await createTestDatabase();
    await using _exporter = start(database, {
      source: { delayMs: 100 },
      exports: { concurrency: 1 },
      timings: { sweepMs: 60_000 },
    });
    const running = await startOperation(database.pool);
    await untilOperation(database.pool, running, wasStarted, "the first job to run");
    const waiting = await startOperation(database.pool);
    await cancelOperation(database.pool, waiting);
    expect(await untilEnded(database.pool, waiting)).toMatchObject({ ...CANCELLED, started_at: null });
    expect(await readOperation(database.pool, running)).toMatchObject({ operation_status: "RUNNING" });
  });
});

describe("a worker that stops", () => {
  it.each(FORMS)("gives its job back, which another continues after the last part (%j)", async (form) => {
    await using database = await createTestDatabase();
    const directory = newDirectory();
    const warnings = ["a warning of the first attempt"];
    // On a busy machine, the export must neither end nor be cut off before the worker has stopped.
    const timings = { partRows: 1_000_000, stopGraceMs: 30_000 };
    const first = start(database, { directory, source: { delayMs: 150, warnings }, timings });
    const id = await startOperation(database.pool, form);
    await untilOperation(database.pool, id, wasStarted, "the first rows");
    await first[Symbol.asyncDispose]();
    const given = await readOperation(database.pool, id);
    expect(Number(JSON.parse(given?.checkpoint ?? "{}").rows)).toBeGreaterThan(0);
    const { rows } = await database.pool.query("SELECT attempts, locked_by FROM graphile_worker.jobs");
    expect(rows).toEqual([{ attempts: 0, locked_by: null }]);
    const inodes = () => readdirSync(directory).map((name) => statSync(join(directory, name)).ino);
    const before = inodes();
    await using _second = start(database, { directory });
    const operation = await untilEnded(database.pool, id);
    // The file itself is continued, without a copy.
    expect(inodes()).toEqual(before);
    const started_at = given?.started_at;
    expect(operation).toMatchObject({ operation_status: "COMPLETED", message: warnings[0], started_at });
    expect(onlyFile(directory, operation)).toEqual(numbered(1, 1_000));
  });

  itWithSmallDisk("without room for a copy of its file lets another wait for room, and continue it then", async () => {
    await using database = await createTestDatabase();
    const directory = newDirectory();
    using _disk = mountSmallDisk(directory);
    const source = { rows: 600, batchRows: 30, padding: 1_000 };
    const timings = { partRows: 30, stopGraceMs: 30_000, maxRetryMs: 200 };
    const first = start(database, { directory, source: { ...source, delayMs: 50 }, timings });
    const id = await startOperation(database.pool);
    const hasPart = ({ checkpoint }: StoredOperation) => JSON.parse(checkpoint ?? "{}").rows > 0;
    await untilOperation(database.pool, id, hasPart, "a part");
    await first[Symbol.asyncDispose]();
    // As a killed worker leaves it: nobody knows whether a process still has it open.
    const [name = ""] = readdirSync(directory);
    renameSync(join(directory, name), join(directory, name.replace(/closed$/, "part")));
    const { bavail, bsize } = statfsSync(directory);
    writeFileSync(join(directory, "ballast"), Buffer.alloc(bavail * bsize));
    await using _second = start(database, { directory, source, timings });
    await untilOperation(database.pool, id, ({ message }) => message === NO_ROOM, "the reason");
    expect(await readOperation(database.pool, id)).toMatchObject({ operation_status: "RUNNING" });
    rmSync(join(directory, "ballast"));
    const operation = await untilEnded(database.pool, id);
    expect(operation).toMatchObject({ operation_status: "COMPLETED", message: null });
    const path = completePath(directory, operation.checkpoint ?? "") ?? "";
    expect(parseFile(readFileSync(path), operation)).toEqual(exportedRows(1, 600, SOURCE.rowsPerDay, 1_000));
  });

  it("whose chain is reorganised in the meantime has its export begin again", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE TABLE numbered_block AS SELECT '0xaa' AS hash");
    const directory = newDirectory();
    const first = start(database, { directory, source: { delayMs: 50 } });
    const id = await startOperation(database.pool);
    await untilOperation(database.pool, id, ({ checkpoint }) => JSON.parse(checkpoint ?? "{}").rows > 0, "a part");
    await first[Symbol.asyncDispose]();
    await database.pool.query("UPDATE numbered_block SET hash = '0xbb'");
    // The other worker reads rows of another chain: fewer rows.
    await using _second = start(database, { directory, source: { rows: 30 } });
    const operation = await untilEnded(database.pool, id);
    expect(operation).toMatchObject({ operation_status: "COMPLETED", total_rows: "30" });
    expect(onlyFile(directory, operation)).toEqual(numbered(1, 30));
  });
});

describe("several workers", () => {
  it("run each job once", async () => {
    await using database = await createTestDatabase();
    const directory = newDirectory();
    await using _first = start(database, { directory, source: { delayMs: 5 } });
    await using _second = start(database, { directory, source: { delayMs: 5 } });
    const ids = await Promise.all(Array.from({ length: 6 }, () => startOperation(database.pool)));
    for (const id of ids) {
      const operation = await untilEnded(database.pool, id);
      const path = completePath(directory, operation.checkpoint ?? "") ?? "";
      expect(parseFile(readFileSync(path), operation)).toEqual(numbered(1, 1_000));
    }
    expect(readdirSync(directory)).toHaveLength(6);
    await untilNoJobs(database.pool);
  });
});

describe("the clean-up", () => {
  it("deletes an expired operation with its file, and no other", async () => {
    await using database = await createTestDatabase();
    let now = 1_000;
    await using exporter = start(database, { exports: { fileLifetimeSeconds: 100 }, nowSeconds: () => now });
    const first = await untilEnded(database.pool, await startOperation(database.pool));
    expect(first).toMatchObject({ ended_at: "1000", expires_at: "1100" });
    now = 1_050;
    const second = await untilEnded(database.pool, await startOperation(database.pool));
    now = 1_100;
    const isThere = async () => (await readOperation(database.pool, first.operation_id)) !== undefined;
    await until(isThere, (there) => !there, "the deletion");
    expect(onlyFile(exporter.directory, second)).toHaveLength(1_000);
  });

  it("ends an operation whose attempts are used up, and adds a job that is missing", async () => {
    await using database = await createTestDatabase();
    const usedUp = await startOperation(database.pool);
    await database.pool.query("UPDATE graphile_worker._private_jobs SET attempts = max_attempts");
    const missing = await startOperation(database.pool);
    await database.pool.query("SELECT graphile_worker.remove_job($1)", [missing]);
    await using _exporter = start(database);
    expect(await untilEnded(database.pool, usedUp)).toMatchObject({
      operation_status: "FAILED",
      code: "ErrInternal",
      message: expect.stringMatching("interrupted too often"),
    });
    expect(await untilEnded(database.pool, missing)).toMatchObject({ operation_status: "COMPLETED" });
    await untilNoJobs(database.pool);
  });
});
