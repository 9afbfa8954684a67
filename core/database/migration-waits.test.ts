import pg from "pg";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { migrate, type ReportLine, requireMigrated } from "./migrate.ts";

const ignored: ReportLine = () => {};

/** A database without tables. Migrations wait in it until `release` is called. */
interface HeldDatabase extends AsyncDisposable {
  readonly url: string;
  /** Ids of the sessions that wait for a lock, for longer than this. */
  waiting(longerThanMs?: number): Promise<number[]>;
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
    const second = migrate(limited(database.url), (line) => lines.push(line));
    await until(() => database.waiting(LONGER_MS), 2, second);
    await database.release();
    expect((await first).length).toBeGreaterThan(0);
    await second;
    expect(lines).toEqual(["another process upgrades the database: waiting until it has finished"]);
  });

  it("that is aborted fails with the reason, PostgreSQL ends its session, and the next migration succeeds", async () => {
    await using database = await createHeldDatabase();
    const stop = new AbortController();
    const migration = migrate(database.url, ignored, stop.signal);
    await until(database.waiting, 1, migration);
    stop.abort(new Error("stopped"));
    await expect(migration).rejects.toThrow("stopped");
    // The lock for which the session waits is still held.
    await until(database.waiting, 0);
    await database.release();
    await expect(requireMigrated(database.url)).rejects.toThrow("the database is empty");
    await expect(migrate(database.url, ignored, stop.signal)).rejects.toThrow("stopped");
    expect((await migrate(database.url, ignored)).length).toBeGreaterThan(0);
  });

  it("reports that PostgreSQL has ended its session", async () => {
    await using database = await createHeldDatabase();
    const migration = migrate(database.url, ignored);
    migration.catch(() => {});
    const [session] = await until(database.waiting, 1, migration);
    await database.terminate(session);
    await expect(migration).rejects.toMatchObject({
      message: "terminating connection due to administrator command",
      code: "57P01",
    });
    await expect(requireMigrated(database.url)).rejects.toThrow("the database is empty");
  });
});
