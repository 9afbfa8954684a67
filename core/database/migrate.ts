import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { ConfigError } from "../config/config.ts";
import { connectionSettings } from "../config/connection-settings.ts";
import { errorCode } from "../errors/errors.ts";
import { hasTable, type Migration, migrations, missingMigrations } from "./database-version.ts";
import { beginDistribution, distributeNewTables, localTables } from "./distribution.ts";
import { isJobQueueMigrated, migrateJobQueue } from "./job-queue.ts";
import { requireSpace } from "./migration-space.ts";
import { statementsOf } from "./migration-statements.ts";
import { openSession } from "./postgres/connect.ts";
import { lockKey, queueSchemaOf } from "./postgres/schema-names.ts";

/** Takes a line for the operator. */
export type ReportLine = (line: string) => void;

/** Key of the advisory lock. It never changes, so that processes of different versions exclude each other. */
const MIGRATION_LOCK = lockKey("7219348113");

/** Key of the advisory lock that `prisma migrate deploy` takes. */
const PRISMA_LOCK = 72_707_369;

/** Prisma's table of the migrations that are applied, as `prisma migrate deploy` creates it. */
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0)`;

interface MigrateOptions {
  /** Directory of the files of an embedded server. Null for another server, whose disk is not known. Default: null. */
  readonly directory?: string | null;
  /** True for a restore, which may continue one that has not finished. Default: false. */
  readonly isRestore?: boolean;
  /** True to distribute the tables over the workers of the extension Citus, if they are not distributed. Default: false. */
  readonly distributes?: boolean;
}

/**
 * Applies the migrations of `prisma/migrations` that the database lacks, records them in Prisma's table, and returns their names. Also
 * creates the tables of the job queue, and distributes new tables of a distributed database. Several processes may call it at once: one
 * applies the migrations, the others wait. Throws `ConfigError` if this version cannot upgrade the database, if the disk of an embedded
 * server has too little space, or if a restore has not finished, unless this is the restore; the database is then unchanged. `report` gets
 * a line about the tables that are upgraded, and one if another process migrates the database. Aborting the signal ends the session, and
 * with it the transaction, and rejects the promise with the signal's reason.
 */
export function migrate(
  url: string,
  report: ReportLine = (line) => console.error(line),
  signal?: AbortSignal,
  { directory = null, isRestore = false, distributes = false }: MigrateOptions = {},
): Promise<readonly string[]> {
  return withClient(
    url,
    async (client) => {
      // The server then notices within a second that this process or its connection has ended. Not all systems support it.
      await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
      await createSchema(client, connectionSettings(url).schema);
      await lock(client, report);
      if (!isRestore) await requireRestored(client);
      const missing = await missingMigrations(client);
      if (missing.length > 0) {
        await requireSpace(client, missing, { directory, report });
        await applyAll(client, missing);
      }
      if (distributes) await beginDistribution(client);
      await distributeNewTables(client, report);
      await migrateJobQueue(client, url);
      return missing.map(({ name }) => name);
    },
    signal,
  );
}

/**
 * For commands that fill a new database: creates the tables if there are none. Throws `ConfigError` if the tables are those of another version,
 * and, unless `isRestore`, if a restore has not finished.
 */
export async function createTables(
  url: string,
  { report, signal, isRestore = false }: { report: ReportLine; signal: AbortSignal; isRestore?: boolean },
): Promise<void> {
  const isOlder = await withClient(url, async (client) => {
    const { length } = await missingMigrations(client);
    return length > 0 && length < migrations().length;
  });
  if (isOlder) await requireMigrated(url);
  await migrate(url, report, signal, { isRestore });
}

/**
 * Citus changes the shards of a table over one connection for each worker, so that a transaction can change one table after another. Other
 * servers do not know the setting.
 */
const SEQUENTIAL =
  "SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true) WHERE current_setting('citus.version', true) IS NOT NULL";

/** Applies and records migrations in one transaction, so that a kill at any moment leaves all of them or none. */
async function applyAll(client: pg.Client, missing: readonly Migration[]): Promise<void> {
  await client.query(`BEGIN; ${SEQUENTIAL}; SELECT pg_advisory_xact_lock(${PRISMA_LOCK}); ${TABLE}`);
  await requireNoneUnfinished(client);
  for (const { name, sql } of missing) {
    const startedAt = new Date();
    for (const statement of statementsOf(sql)) await client.query(statement);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), $1, $2, $3, clock_timestamp(), 1)`,
      [hash("sha256", sql), name, startedAt],
    );
  }
  await client.query("COMMIT");
}

/** `prisma migrate deploy` leaves a migration unfinished that has failed. A part of it may be applied. */
async function requireNoneUnfinished(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL",
  );
  if (!rows[0]) return;
  throw new ConfigError(
    `migration ${rows[0].name} was begun by another program, such as prisma migrate deploy, and has not finished: repair the database and tell the result by prisma migrate resolve, then start again`,
  );
}

/** Who upgrades the database. */
const UPGRADE = "npm start (or moraine migrate, or moraine start --only indexer, where the parts run alone)";

/** There is no database, or it has no tables: the first start makes them. */
export class NoTables extends ConfigError {}

/**
 * For commands, which never change the tables of a database. Throws `ConfigError` if the database is not exactly of this version, `NoTables` if
 * it is empty.
 */
export async function requireMigrated(url: string): Promise<void> {
  const lack = await lackOf(url);
  if (lack === null) return;
  if (lack === NO_TABLES)
    throw new NoTables(`the database is empty: start Moraine first, which creates the tables: ${UPGRADE}`);
  throw new ConfigError(
    `the database is older than this version of Moraine (${lack}): first stop the processes of the earlier version and start this one, which upgrades it: ${UPGRADE}`,
  );
}

const WAIT_INTERVAL_MS = 1_000;

/**
 * For parts other than the indexer. Waits until the start of the indexer has created or upgraded the tables. Throws `ConfigError` if this
 * version cannot upgrade the database. Aborting the signal rejects the promise with the signal's reason.
 */
export async function untilMigrated(url: string, signal: AbortSignal, report: ReportLine): Promise<void> {
  for (let isReported = false; ; isReported = true) {
    const lack = await lackOf(url);
    if (lack === null) return;
    const state = lack === NO_TABLES ? "is empty" : `is older than this version (${lack})`;
    if (!isReported) report(`the database ${state}: waiting until its tables are made by ${UPGRADE}`);
    await sleep(WAIT_INTERVAL_MS, null, { signal }).catch(() => signal.throwIfAborted());
  }
}

const NO_TABLES = "no tables";

/** What the database lacks; null if it lacks nothing. */
function lackOf(url: string): Promise<string | null> {
  return withClient(url, async (client) => {
    const missing = await missingMigrations(client);
    if (missing.length === migrations().length) return NO_TABLES;
    const [first, ...others] = missing;
    if (first !== undefined)
      return `it lacks migration ${first.name}${others.length === 0 ? "" : ` and ${others.length} more`}`;
    await requireRestored(client);
    const [local] = await localTables(client);
    if (local) return `its table ${local.name} is not distributed`;
    const queue = queueSchemaOf(connectionSettings(url).schema);
    return (await isJobQueueMigrated(client, queue)) ? null : "its job queue is of an earlier version";
  });
}

/** Throws `ConfigError` if `moraine restore` has not finished. */
async function requireRestored(client: pg.Client): Promise<void> {
  if (!(await hasTable(client, "restored_files"))) return;
  if ((await client.query("SELECT FROM restored_files LIMIT 1")).rowCount === 0) return;
  throw new ConfigError(
    "the database has only a part of a backup: run the same moraine restore again, which continues, or drop the database",
  );
}

/** Creates the schema of the URL if it does not exist. */
async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>("SELECT to_regnamespace($1) IS NOT NULL AS exists", [
    client.escapeIdentifier(schema),
  ]);
  if (rows[0]?.exists) return;
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`).catch((error: unknown) => {
    // Another process has created it in the meantime.
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
  });
}

const UNIQUE_VIOLATION = "23505";

async function lock(client: pg.Client, report: ReportLine): Promise<void> {
  const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS got`);
  if (rows[0]?.got) return;
  report("another process upgrades the database: waiting until it has finished");
  await client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
}

async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const client = await openSession(url);
  const end = (): void => void client.end();
  signal?.addEventListener("abort", end);
  try {
    signal?.throwIfAborted();
    const result = await use(client);
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", end);
    await client.end();
  }
}
