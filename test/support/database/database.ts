import { randomBytes } from "node:crypto";
import pg from "pg";
import { type Database, openDatabase } from "../../../core/database.ts";
import { createLogger } from "../../../core/logger.ts";

/** A migrated database of a test's own, gone when disposed. */
export interface TestDatabase extends Database {
  readonly url: string;
}

const EMPTY = "moraine_template";

/** An empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyOf(EMPTY);
}

const filled = new Map<string, Promise<string>>();

/** A database with what `fill` puts into an empty one: it is filled once in a run, for all test files that name it so. */
export async function createFilledDatabase(
  name: string,
  fill: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const template = filled.get(name) ?? fillOnce(`filled_${name}`, fill);
  filled.set(name, template);
  return copyOf(await template);
}

async function fillOnce(template: string, fill: (database: TestDatabase) => Promise<void>): Promise<string> {
  await using client = await connect();
  // Whoever comes meanwhile, from another process too, waits for the first.
  await client.query("SELECT pg_advisory_lock(hashtext($1))", [template]);
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
  if (rowCount) return template;
  await using database = await createTestDatabase();
  await fill(database);
  await client.query(`CREATE DATABASE ${template}_unfinished TEMPLATE ${await deserted(client, database.url)}`);
  await client.query(`ALTER DATABASE ${template}_unfinished RENAME TO ${template}`);
  return template;
}

/** The name of a database from which every session is gone, as whoever copies it must have it. */
async function deserted(client: Client, url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  await client.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [name]);
  return name;
}

/** As files: 15 ms in place of 100 through the log. */
async function copyOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = `${process.env["MORAINE_TEST_SERVER"]}/${name}`;
  const database = openDatabase(url, 5, createLogger("silent"));
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(statement: string): Promise<void> {
  await using client = await connect();
  for (let attempt = 0; ; attempt++) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      // Two test files copying the template at once: the second waits.
      const busy = error instanceof pg.DatabaseError && error.code === "55006" && attempt < 50;
      if (!busy) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

type Client = pg.Client & AsyncDisposable;

async function connect(): Promise<Client> {
  const client = new pg.Client({ connectionString: `${process.env["MORAINE_TEST_SERVER"]}/postgres` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
