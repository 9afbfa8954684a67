import { setTimeout as sleep } from "node:timers/promises";
import type { MigrationList } from "@prisma/schema-engine-wasm";
import type pg from "pg";
import { ConfigError } from "./config.ts";
import { migrations, missingMigrations } from "./database-version.ts";
import { errorCode } from "./errors.ts";
import { isJobQueueMigrated, migrateJobQueue } from "./job-queue.ts";
import { openSession } from "./postgres/connect.ts";
import { connectionSettings } from "./postgres/connection-settings.ts";
import { lockKey, queueSchemaOf } from "./postgres/schema-names.ts";
import type { ReportLine } from "./report-line.ts";

/** Key of the advisory lock. It never changes, so that processes of different versions exclude each other. */
const MIGRATION_LOCK = lockKey("7219348113");

/**
 * Applies the migrations of `prisma/migrations` that the database lacks, records them in Prisma's table, and returns their names. Also
 * creates the tables of the job queue. Several processes may call it at once: one applies the migrations, the others wait. Throws
 * `ConfigError` if this version cannot upgrade the database or a migration refuses to; the database is then unchanged. `report` gets a line
 * before each part of a migration that can take minutes, and if another process migrates the database.
 */
export function migrate(url: string, report: ReportLine = (line) => console.error(line)): Promise<readonly string[]> {
  return withClient(url, async (client) => {
    await createSchema(client, connectionSettings(url).schema);
    await lock(client, report);
    const list = migrations();
    const missing = await missingMigrations(client, list);
    const applied = missing.length === 0 ? [] : await applyAll(url, list, report);
    await migrateJobQueue(client, url);
    return applied;
  });
}

/** True if `migrate` would change nothing. Throws `ConfigError` if this version cannot upgrade the database. */
export async function isMigrated(url: string): Promise<boolean> {
  return (await olderPart(url)) === null;
}

/** Who upgrades the database. */
const UPGRADE = "npm start (or npm run start:indexer, where the parts run alone)";

/** For commands, which never change the tables of a database. Throws `ConfigError` if the database is not exactly of this version. */
export async function requireMigrated(url: string): Promise<void> {
  const part = await olderPart(url);
  if (part === null) return;
  throw new ConfigError(
    `the database is older than this version of Moraine (${part}): first stop the processes of the earlier version and start this one, which upgrades it: ${UPGRADE}`,
  );
}

const WAIT_INTERVAL_MS = 1_000;

/**
 * For parts other than the indexer. Waits until the start of the indexer has created or upgraded the tables. Throws `ConfigError` if the
 * database has migrations of a newer version. Aborting the signal rejects the promise with the signal's reason.
 */
export async function untilMigrated(url: string, signal: AbortSignal, report: ReportLine): Promise<void> {
  for (let isReported = false; ; isReported = true) {
    const part = await olderPart(url);
    if (part === null) return;
    if (!isReported)
      report(`the database is older than this version (${part}): waiting until it is upgraded by ${UPGRADE}`);
    await sleep(WAIT_INTERVAL_MS, null, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** What the database lacks; null if it lacks nothing. */
function olderPart(url: string): Promise<string | null> {
  return withClient(url, async (client) => {
    const [first, ...others] = await missingMigrations(client, migrations());
    if (first !== undefined)
      return `it lacks migration ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
    const queue = queueSchemaOf(connectionSettings(url).schema);
    return (await isJobQueueMigrated(client, queue)) ? null : "its job queue is of an earlier version";
  });
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

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await openSession(url);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The engine takes much memory and time to load, and most starts do not need it. */
async function applyAll(url: string, list: MigrationList, report: ReportLine): Promise<readonly string[]> {
  const { applyMigrations } = await import("./schema-engine.ts");
  return applyMigrations(url, list, report);
}
