import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Database, Databases } from "../../../core/database/database.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { EMPTY, nameInRun, OWNER } from "./names.ts";

/**
 * A migrated database that belongs to one test; disposing it drops the database. Its role owns the database and has no other rights;
 * `asSuperuser` is for what only the operator of a server may do.
 */
export interface TestDatabase extends Databases {
  readonly url: string;
  /** For stores that are tested alone. */
  readonly prisma: Database["prisma"];
}

/** Creates a migrated database without rows. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyOf(nameInRun(EMPTY));
}

const filled = new Map<string, Promise<string>>();

/**
 * Creates a copy of the database that `fill` filled. For each name, `fill` runs once in a run of the tests, for all test files
 * and workers.
 */
export async function createFilledDatabase(
  name: string,
  fill: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const template = filled.get(name) ?? fillOnce(nameInRun(`filled_${name}`), fill);
  filled.set(name, template);
  return copyOf(await template);
}

async function fillOnce(template: string, fill: (database: TestDatabase) => Promise<void>): Promise<string> {
  await using client = await connect();
  // Other workers that need the same database wait until the first has filled it.
  await client.query("SELECT pg_advisory_lock(hashtext($1))", [template]);
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
  if (rowCount) return template;
  await using database = await createTestDatabase();
  await fill(database);
  await client.query(`CREATE DATABASE ${template}_unfinished TEMPLATE ${await withoutSessions(client, database.url)}`);
  await client.query(`ALTER DATABASE ${template}_unfinished RENAME TO ${template}`);
  return template;
}

/** Ends all sessions of a database, which PostgreSQL requires before it is copied; returns its name. */
async function withoutSessions(client: Client, url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  await client.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [name]);
  return name;
}

/** Copies a database as files, which takes 15 ms; through the write-ahead log it takes 100 ms. */
async function copyOf(template: string): Promise<TestDatabase> {
  const name = nameInRun(randomBytes(6).toString("hex"));
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${nameInRun(OWNER)} STRATEGY file_copy`);
  const url = `${process.env["MORAINE_TEST_SERVER"]}/${name}`;
  let database: Databases | null = openDatabase(url, 5, createLogger("silent"));
  const { pool, cells } = database;
  // Node never unloads a test file, so its variables keep this database. Without its client, which holds 8 MB, the garbage
  // collector has less to mark.
  const { proxy: prisma, revoke } = Proxy.revocable(database.evm.prisma, {});
  const rows = { pool, prisma };
  return {
    ...rows,
    evm: rows,
    primary: rows,
    cells,
    replicas: null,
    url,
    async [Symbol.asyncDispose]() {
      await database?.[Symbol.asyncDispose]();
      database = null;
      revoke();
      // The listener of `openDatabase` refers to the client too.
      pool.removeAllListeners("error").on("error", ignore);
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

const ignore = (): void => {};

/** Creates and drops databases over one connection for each worker: a connection of its own costs each statement some milliseconds. */
async function onServer(statement: string): Promise<void> {
  shared ??= connect();
  const client = await shared;
  for (let attempt = 0; ; attempt++) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      // Another test file is copying the template.
      const busy = error instanceof pg.DatabaseError && error.code === "55006" && attempt < 50;
      if (!busy) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

type Client = pg.Client & AsyncDisposable;

let shared: Promise<Client> | null = null;

/** Creates a database without tables, with these options of CREATE DATABASE; disposing it drops the database. */
export async function createEmptyDatabase(options: string): Promise<AsyncDisposable & { readonly url: string }> {
  const name = nameInRun(randomBytes(6).toString("hex"));
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0 OWNER ${nameInRun(OWNER)} ${options}`);
  return {
    url: `${process.env["MORAINE_TEST_SERVER"]}/${name}`,
    [Symbol.asyncDispose]: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Runs a statement as a superuser in the database of a test. */
export async function asSuperuser(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  await using client = await connect(new URL(url).pathname);
  return await client.query(text, values);
}

async function connect(database = "/postgres"): Promise<Client> {
  const client = new pg.Client({ connectionString: `${process.env["MORAINE_TEST_SUPERUSER"]}${database}` });
  await client.connect();
  // So that the worker can end while the connection is open. The types lack the method.
  (client as pg.Client & { unref(): void }).unref();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
