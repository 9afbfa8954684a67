import pg from "pg";
import { queueSchemaOf } from "./schema-names.ts";

/** What a session adds to the settings that all sessions have. */
export interface SessionSettings {
  /** PostgreSQL ends a statement that takes longer. Default: no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** Other settings of PostgreSQL by name. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/**
 * Settings of PostgreSQL that change what statements return or accept. An operator can give a role, a database or a URL other values of
 * them: the tables and statements of Moraine need these.
 */
const PINNED: Readonly<Record<string, string>> = {
  bytea_output: "hex",
  standard_conforming_strings: "on",
  array_nulls: "on",
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  extra_float_digits: "1",
  transform_null_equals: "off",
  quote_all_identifiers: "off",
  gin_fuzzy_search_limit: "0",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  // Rebuilding rows and migrations take hours, exports hold a transaction, and listening sessions are idle.
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
};

/** Settings that some supported servers lack. */
const PINNED_IF_KNOWN: Readonly<Record<string, string>> = {
  transaction_timeout: "0",
  // `SET LOCAL` holds for the workers of the extension Citus, too.
  "citus.propagate_set_commands": "local",
};

/**
 * For sessions that have locks: the server notices within half a minute that the machine of a client is gone, and releases the locks of that client.
 */
export const SERVER_KEEPALIVES = { tcp_keepalives_idle: "10", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" };

/** How long PostgreSQL may take to set them. */
const PIN_TIMEOUT_MS = 10_000;

/** What every session sends first, in one statement. A pooler that keeps sessions passes it on, unlike most parameters of a connection. */
export async function pinSession(
  client: pg.ClientBase,
  schema: string,
  { statementTimeoutMs = 0, settings = {} }: SessionSettings,
): Promise<void> {
  const searchPath = [schema, queueSchemaOf(schema)].map(pg.escapeIdentifier).join(", ");
  const all = { ...PINNED, search_path: searchPath, statement_timeout: String(statementTimeoutMs), ...settings };
  const set = ([name, value]: [string, string]) =>
    `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`;
  const setIfKnown = ([name, value]: [string, string]) =>
    `CASE WHEN current_setting(${pg.escapeLiteral(name)}, true) IS NOT NULL THEN ${set([name, value])} END`;
  const columns = [...Object.entries(all).map(set), ...Object.entries(PINNED_IF_KNOWN).map(setIfKnown)];
  await client.query({ text: `SELECT ${columns.join(", ")}`, query_timeout: PIN_TIMEOUT_MS } as { text: string });
}
