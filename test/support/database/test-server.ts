import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "../../../core/database/migrate.ts";
import { startEmbeddedPostgres } from "../../../core/embedded-postgres/embedded-postgres.ts";
import { EMPTY, OWNER } from "./names.ts";

/** The PostgreSQL server of a run of the tests. Disposing it removes all that the run has created. */
export interface TestServer extends AsyncDisposable {
  /**
   * Connection URL without a database name. Its role owns the databases of the tests and has no other rights, as the roles of managed
   * PostgreSQL services.
   */
  readonly url: string;
  /** The same for a superuser, who creates the databases. */
  readonly superuserUrl: string;
  /** What the names of the run's databases begin with. */
  readonly prefix: string;
}

/** Connection URL of a superuser of a server that runs already. It replaces the embedded server. */
const EXISTING_SERVER = "MORAINE_TEST_DATABASE_URL";

/** Starts a server, or uses the one that MORAINE_TEST_DATABASE_URL names, and creates the database `EMPTY`. */
export async function startTestServer(): Promise<TestServer> {
  const existing = process.env[EXISTING_SERVER];
  if (existing) return prepare(existing, { [Symbol.asyncDispose]: async () => {} });
  const server = await startFastServer();
  return prepare(server.url, server);
}

async function prepare(superuserUrl: string, server: AsyncDisposable): Promise<TestServer> {
  const prefix = `moraine_${randomBytes(3).toString("hex")}_`;
  const role = `${prefix}${OWNER}`;
  const password = randomBytes(12).toString("hex");
  const superuser = new pg.Client({ connectionString: databaseAt(superuserUrl, "postgres") });
  await superuser.connect();
  // Tests open hundreds of connections; the default of 4,096 hash rounds costs each some milliseconds on both sides. PostgreSQL 15 lacks
  // the setting.
  await superuser.query("SET scram_iterations = 1").catch(() => {});
  await superuser.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '${password}'`);
  await superuser.query(`CREATE DATABASE ${prefix}${EMPTY} OWNER ${role}`);
  await superuser.end();
  const account = Object.assign(new URL(superuserUrl), { username: role, password, pathname: "" });
  await migrate(databaseAt(account.href, `${prefix}${EMPTY}`));
  return {
    url: account.href.replace(/\/$/, ""),
    superuserUrl: databaseAt(superuserUrl, "").replace(/\/$/, ""),
    prefix,
    async [Symbol.asyncDispose]() {
      if (process.env[EXISTING_SERVER]) await removeAll(superuserUrl, prefix, role);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The connection URL of another database of the server. */
function databaseAt(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function removeAll(superuserUrl: string, prefix: string, role: string): Promise<void> {
  const superuser = new pg.Client({ connectionString: databaseAt(superuserUrl, "postgres") });
  await superuser.connect();
  const { rows } = await superuser.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)",
    [prefix],
  );
  for (const { name } of rows) await superuser.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await superuser.query(`DROP ROLE ${role}`);
  await superuser.end();
}

/**
 * Nothing in the databases of a run has to survive a crash, and none of them lives long enough to need a vacuum. PostgreSQL looks at
 * each shared buffer whenever a database is created or dropped, so there are few.
 */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_writer_delay: "10s",
  autovacuum: "off",
  shared_buffers: "128MB",
  // Reads from memory take less time than to ask a worker process for them.
  io_method: "sync",
  wal_level: "minimal",
  max_wal_senders: "0",
};

async function startFastServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const directory = mkdtempSync(join(fastDirectory(), "moraine-test-"));
  // Where root runs the tests, the server runs as another account, which must be able to enter the directory.
  chmodSync(directory, 0o755);
  const server = await startEmbeddedPostgres(directory, undefined, SETTINGS);
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Free space that the databases of a run never fill. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** A directory in memory if it has room: a test database has hundreds of files, which a disk is slow to create and delete. */
function fastDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= ENOUGH_BYTES ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
}
