import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { childPids } from "../test/support/exports/worker-pids.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { migrateInProcess } from "./migration-process.ts";
import type { ReportLine } from "./report-line.ts";

const { signal } = new AbortController();
const ignored: ReportLine = () => {};

/** A database without tables. Migrations wait in it until `release` is called. */
interface HeldDatabase extends AsyncDisposable {
  readonly url: string;
  /** Ids of the sessions that wait for a lock, for longer than this. */
  waiting(longerThanMs?: number): Promise<number[]>;
  /** Id of the session that keeps other processes from migrating. */
  locking(): Promise<number[]>;
  terminate(session: number | undefined): Promise<void>;
  release(): Promise<void>;
}

async function createHeldDatabase(): Promise<HeldDatabase> {
  const database = await createTestDatabase();
  const { url, pool } = database;
  await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const holder = new pg.Client({ connectionString: url, application_name: "holder" });
  await holder.connect();
  // Another session that creates a table of this name waits for the end of this transaction.
  await holder.query("BEGIN; CREATE TABLE evm_blocks ()");
  const sessions = (condition: string) => sessionsOf(database, condition);
  return {
    url,
    waiting: (longerThanMs = 0) =>
      sessions(`wait_event_type = 'Lock' AND clock_timestamp() - query_start > ${longerThanMs} * interval '1 ms'`),
    locking: () =>
      sessions("state = 'idle' AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)"),
    terminate: async (session) => void (await pool.query("SELECT pg_terminate_backend($1)", [session])),
    release: async () => void (await holder.query("ROLLBACK")),
    async [Symbol.asyncDispose]() {
      await holder.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function sessionsOf({ pool }: TestDatabase, condition: string): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND application_name <> 'holder' AND ${condition} ORDER BY backend_start`,
  );
  return rows.map(({ pid }) => pid);
}

/** Waits until there are this many. Fails if the migration ends before. */
async function until(read: () => Promise<number[]>, count: number, migration?: Promise<unknown>): Promise<number[]> {
  let end: unknown;
  const note = (result: unknown) => {
    end = result;
  };
  migration?.then(() => note("the migration has ended"), note);
  for (;;) {
    const found = await read();
    if (found.length === count) return found;
    if (end !== undefined) throw end;
    await new Promise((done) => setTimeout(done, 10));
  }
}

const LIMIT_MS = 250;
const LONGER_MS = 350;
/** Time limits of a role. Between two statements of its transaction, a migration is idle for more than a millisecond. */
const LIMITS = `-c statement_timeout=${LIMIT_MS} -c lock_timeout=${LIMIT_MS} -c idle_in_transaction_session_timeout=1`;
const limited = (url: string): string => `${url}?options=${encodeURIComponent(LIMITS)}`;

describe("a migration", () => {
  it("may wait longer than the time limits of its role", async () => {
    await using database = await createHeldDatabase();
    const migration = migrate(limited(database.url), ignored);
    await until(() => database.waiting(LONGER_MS), 1, migration);
    await database.release();
    expect((await migration).length).toBeGreaterThan(0);
  });

  it("waits for that of another process, however long that takes, and says so once", async () => {
    await using database = await createHeldDatabase();
    const first = migrate(database.url, ignored);
    await until(database.waiting, 1, first);
    const lines: string[] = [];
    const second = migrateInProcess(limited(database.url), signal, (line) => lines.push(line));
    await until(() => database.waiting(LONGER_MS), 2, second);
    await database.release();
    expect((await first).length).toBeGreaterThan(0);
    await second;
    expect(lines).toEqual(["another process upgrades the database: waiting until it has finished"]);
  });
});

describe("the process of a migration", () => {
  const workers = async () => childPids(process.pid, "migration-worker.");

  it("that is killed is reported, PostgreSQL ends its sessions, and the next migration succeeds", async () => {
    await using database = await createHeldDatabase();
    const migration = migrateInProcess(database.url, signal, ignored);
    migration.catch(() => {});
    await until(database.waiting, 1, migration);
    const [worker = 0] = await until(workers, 1);
    process.kill(worker, "SIGKILL");
    await expect(migration).rejects.toThrow(
      "the process that migrates the database has ended before it was done (SIGKILL)",
    );
    // The lock for which the session waits is still held.
    await until(database.waiting, 0);
    await database.release();
    expect(await isMigrated(database.url)).toBe(false);
    await migrateInProcess(database.url, signal, ignored);
    expect(await isMigrated(database.url)).toBe(true);
  });

  it("reports that PostgreSQL has ended the session that migrates", async () => {
    await using database = await createHeldDatabase();
    const migration = migrateInProcess(database.url, signal, ignored);
    migration.catch(() => {});
    const [session] = await until(database.waiting, 1, migration);
    await database.terminate(session);
    await expect(migration).rejects.toMatchObject({
      message: "terminating connection due to administrator command",
      code: "57P01",
    });
    expect(await isMigrated(database.url)).toBe(false);
  });

  it("reports that PostgreSQL has ended the session that keeps other processes from migrating", async () => {
    await using database = await createHeldDatabase();
    const migration = migrateInProcess(database.url, signal, ignored);
    migration.catch(() => {});
    await until(database.waiting, 1, migration);
    const [session] = await until(database.locking, 1, migration);
    await database.terminate(session);
    await database.release();
    await expect(migration).rejects.toThrow("Client has encountered a connection error and is not queryable");
  });
});
