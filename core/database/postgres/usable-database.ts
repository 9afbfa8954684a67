import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ConfigError } from "../../config/config.ts";
import { connectionSettings, schemaIn, withSchema } from "../../config/connection-settings.ts";
import { messageOf, quoted } from "../../errors/errors.ts";
import type { Logger } from "../../observability/logger.ts";
import { DATABASE_SETTING } from "../database-refusal.ts";
import { firstMigrations, hasTable } from "../database-version.ts";
import { sharesSessions } from "./pooler.ts";
import { MAX_SCHEMA_BYTES } from "./schema-names.ts";

const OLDEST_VERSION = 15;
/** Prisma does not escape quotes in the name of a schema. */
const SCHEMA_NAME = /^[\p{L}\p{N}_ -]+$/u;
const TIMEOUT_MS = 30_000;
const RETRY_MS = 1_000;

export interface Server {
  readonly version: number;
  readonly versionText: string;
  readonly encoding: string;
  /** The first schema of `search_path` that exists. */
  readonly schema: string | null;
}

const SERVER = `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_version') AS "versionText",
  current_setting('server_encoding') AS encoding, current_schema()::text AS schema`;

/**
 * Checks that the database of a setting, by default `databaseUrl`, can have the tables of Moraine. Returns its URL with the schema of these tables:
 * the one that the URL names, or else the first of the role's `search_path`. Throws `ConfigError` with the reason and the remedy, or the
 * error of the connection.
 */
export async function usableDatabase(url: string, setting = DATABASE_SETTING): Promise<string> {
  // A session with the settings of the role and the URL: see `search_path` above.
  const connect = async () => {
    const options = { ...connectionSettings(url).connection, connectionTimeoutMillis: TIMEOUT_MS };
    const client = new pg.Client({ ...options, query_timeout: TIMEOUT_MS, application_name: "moraine start" });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const client = await connect();
  try {
    const [server] = (await client.query<Server>(SERVER)).rows;
    const schema = requireUsable({ ...(server as Server), schema: schemaIn(url) ?? server?.schema ?? null }, setting);
    await requireOwnSchema(client, schema, setting);
    if (await sharesSessions(client, connect))
      throw refusal(
        setting,
        "a connection pooler shares its sessions between transactions",
        "name the server itself, or a pool in session mode (pool_mode = session of PgBouncer)",
      );
    return withSchema(url, schema);
  } finally {
    await client.end();
  }
}

/** Returns the schema. Throws `ConfigError` for a server, database or schema that cannot be used. */
export function requireUsable({ version, versionText, encoding, schema }: Server, setting = DATABASE_SETTING): string {
  if (version < OLDEST_VERSION)
    throw refusal(setting, `the server is PostgreSQL ${versionText}`, `name one of version ${OLDEST_VERSION} or newer`);
  if (encoding !== "UTF8")
    throw refusal(
      setting,
      `the database has the encoding ${encoding}`,
      "name a database that was created with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
    );
  if (schema === null)
    throw refusal(
      setting,
      "no schema of the role's search_path exists",
      "create the schema, or name it in the URL, such as ?schema=moraine",
    );
  if (Buffer.byteLength(schema) > MAX_SCHEMA_BYTES || !SCHEMA_NAME.test(schema))
    throw refusal(
      setting,
      `the schema ${quoted(schema)} has a name that Moraine cannot use`,
      `name one of at most ${MAX_SCHEMA_BYTES} bytes, of letters, digits, "_", "-" and spaces`,
    );
  return schema;
}

/**
 * The same as `usableDatabase`, and waits while the database cannot be reached. Aborting the signal rejects the promise with the signal's
 * reason.
 */
export function untilUsable(url: string, logger: Logger, signal: AbortSignal): Promise<string> {
  return untilSucceeded(() => usableDatabase(url), logger, signal);
}

/**
 * Calls `use` every second until it succeeds, and returns its result. Failures are logged. Throws a `ConfigError` of `use`. Aborting the
 * signal rejects the promise with the signal's reason.
 */
export async function untilSucceeded<Result>(
  use: () => Promise<Result>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await use();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ConfigError) throw error;
      logger.warn({ reason: messageOf(error) }, "the database cannot be used yet");
      await sleep(RETRY_MS, null, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function refusal(setting: string, reason: string, remedy: string): ConfigError {
  return new ConfigError(`the database cannot be used (${reason}): ${setting}: ${remedy}`);
}

/** A table, view or sequence of the schema that belongs to no extension. */
const OTHERS = `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relname <> '_prisma_migrations'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname LIMIT 1`;

/** The schema may be empty, or have the tables of Moraine, which its first migration tells. */
async function requireOwnSchema(client: pg.Client, schema: string, setting: string): Promise<void> {
  const table = `${client.escapeIdentifier(schema)}._prisma_migrations`;
  if (await hasTable(client, table)) {
    const first = `SELECT FROM ${table} WHERE migration_name = ANY ($1)`;
    if ((await client.query(first, [firstMigrations()])).rowCount) return;
  }
  const [other] = (await client.query<{ name: string }>(OTHERS, [schema])).rows;
  if (!other) return;
  throw refusal(
    setting,
    `its schema ${schema} has tables of another program, such as ${other.name}`,
    "name an empty database, or another schema, such as ?schema=moraine",
  );
}
