import type pg from "pg";
import { connectionSettings } from "../config/connection-settings.ts";
import { hasTable } from "./database-version.ts";
import { EXPORT_TASK } from "./operations.ts";
import { createPool } from "./postgres/connect.ts";
import { queueSchemaOf } from "./postgres/schema-names.ts";

/** Version of the tables of the graphile-worker release that package.json pins: the number of its last migration. */
const QUEUE_VERSION = 18;

/**
 * Creates or updates the tables of the job queue, which have a schema of their own. It is in the `search_path` of all sessions. The caller
 * holds the lock of migrations on `client`.
 */
export async function migrateJobQueue(client: pg.Client, url: string): Promise<void> {
  const schema = queueSchemaOf(connectionSettings(url).schema);
  if (await isJobQueueMigrated(client, schema)) return;
  // The package loads slowly, and most starts do not need it.
  const { Logger, runMigrations } = await import("graphile-worker");
  // The package begins with a statement that fails if its first table does not exist, and the server would log that.
  const escaped = client.escapeIdentifier(schema);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${escaped}; CREATE TABLE IF NOT EXISTS ${escaped}.migrations (
    id int PRIMARY KEY, ts timestamptz NOT NULL DEFAULT now(), breaking boolean NOT NULL DEFAULT false)`);
  const pgPool = createPool(url, { max: 1 });
  pgPool.on("error", () => {});
  try {
    await runMigrations({ pgPool, schema, logger: new Logger(() => () => {}) });
  } finally {
    await pgPool.end();
  }
}

/** True if the tables of the job queue exist in that schema in the version that this release needs, or in a newer one. */
export async function isJobQueueMigrated(client: pg.Client, schema: string): Promise<boolean> {
  return (await queueVersion(client, `${client.escapeIdentifier(schema)}.migrations`)) >= QUEUE_VERSION;
}

async function queueVersion(client: pg.Client, table: string): Promise<number> {
  if (!(await hasTable(client, table))) return 0;
  const last = `SELECT coalesce(max(id), 0)::int AS last FROM ${table}`;
  return (await client.query<{ last: number }>(last)).rows[0]?.last ?? 0;
}

/**
 * Adds the job of an export operation, which a worker takes at once when the transaction on `client` is committed. If the operation
 * has a job already, that job starts anew.
 */
export async function addExportJob(client: pg.ClientBase | pg.Pool, operationId: string): Promise<void> {
  const text = "SELECT add_job($1, json_build_object('operationId', $2::text), job_key => $2)";
  await client.query(text, [EXPORT_TASK, operationId]);
}
