import { statfs } from "node:fs/promises";
import type pg from "pg";
import { ConfigError } from "../config/config.ts";
import type { Migration } from "./database-version.ts";
import { isDistributed } from "./distribution.ts";

/** A stored table that migrations read or rewrite. */
interface TouchedTable {
  readonly name: string;
  /** By the statistics of the server. Null for the tables on the workers of Citus. */
  readonly rows: number | null;
  /** Without its indexes. */
  readonly own_bytes: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** Words of SQL before the name of a table that is changed or read. */
const TABLE_NAMES = /\b(?:TABLE|UPDATE|INTO|FROM|JOIN)\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?"?(\w+)"?/gi;
/** An index that is built of the rows of a table. */
const INDEX = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\b[^;]*?\bON\s+(?:ONLY\s+)?"?(\w+)"?/gi;
/** How much of the size of a table, without its indexes, one more index takes: more than each of the tables of Moraine. */
const SHARE_OF_INDEX = 0.5;

const SIZES = `SELECT c.relname AS name, sum(greatest(p.reltuples, 0))::float8 AS rows,
    sum(pg_table_size(p.oid))::float8 AS own_bytes, sum(pg_total_relation_size(p.oid))::float8 AS bytes
  FROM pg_class c
    CROSS JOIN LATERAL (SELECT relid FROM pg_partition_tree(c.oid) UNION SELECT c.oid) t (relid)
    JOIN pg_class p ON p.oid = t.relid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('p', 'r') AND c.relname = ANY ($1)
  GROUP BY c.relname HAVING sum(pg_relation_size(p.oid)) > 0`;

/** The same of the tables that Citus distributes. It tells only the sizes with the indexes, so an index is estimated too large. */
const SIZES_ON_WORKERS = `SELECT c.relname AS name, NULL AS rows, sum(s.shard_size)::float8 AS own_bytes, sum(s.shard_size)::float8 AS bytes
  FROM citus_shards s
    JOIN pg_class c ON c.oid = coalesce(pg_partition_root(s.table_name), s.table_name::oid)
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname = ANY ($1)
  GROUP BY c.relname HAVING sum(s.shard_size) > 0`;

/** PostgreSQL reads and sorts a table on a disk of a server at least as fast: an estimate, to tell minutes from hours. */
const BYTES_PER_SECOND = 50e6;

/**
 * Tells the operator how much of the database migrations touch. Throws `ConfigError` if the disk of `directory` has less free space than
 * they may need: a rewritten table and its indexes exist twice until the migrations are committed. `directory` is that of the files of an
 * embedded server. Null for another server, whose disk is not known.
 */
export async function requireSpace(
  client: pg.Client,
  missing: readonly Migration[],
  { directory, report }: { readonly directory: string | null; readonly report: (line: string) => void },
): Promise<void> {
  const sql = missing.map((migration) => migration.sql).join("\n");
  const namesOf = (pattern: RegExp) => [...sql.matchAll(pattern)].map(([, name = ""]) => name);
  const [changed, indexed] = [new Set(namesOf(TABLE_NAMES)), namesOf(INDEX)];
  const tables = await sizesOf(client, [...changed, ...indexed]);
  if (tables.length === 0) return;
  const needOf = ({ name, bytes, own_bytes: own }: TouchedTable): number =>
    (changed.has(name) ? bytes : 0) + indexed.filter((one) => one === name).length * own * SHARE_OF_INDEX;
  const bytes = tables.reduce((sum, table) => sum + needOf(table), 0);
  const free = directory === null ? null : await freeBytes(directory);
  report(
    `the upgrade of the database applies ${missing.length} migrations to ${tables.map(tableText).join(", ")}: they may take ${duration(bytes / BYTES_PER_SECOND)} and up to ${sizeText(bytes)} of space; ${free === null ? "the free space of the server is not known here" : `${sizeText(free)} are free`}`,
  );
  if (free === null || free >= bytes) return;
  throw new ConfigError(
    `the disk of the data directory has ${sizeText(free)} free, and the upgrade of the database may need ${sizeText(bytes)}: make space, or move the directory. The database was not changed`,
  );
}

/** Tables of the present schema that have rows, on this server or on the workers of Citus, the largest first. */
async function sizesOf(client: pg.Client, names: readonly string[]): Promise<TouchedTable[]> {
  const onServer = (await client.query<TouchedTable>(SIZES, [names])).rows;
  const onWorkers = (await isDistributed(client))
    ? (await client.query<TouchedTable>(SIZES_ON_WORKERS, [names])).rows
    : [];
  const distributed = new Set(onWorkers.map(({ name }) => name));
  const all = [...onWorkers, ...onServer.filter(({ name }) => !distributed.has(name))];
  return all.toSorted((one, other) => other.bytes - one.bytes);
}

function tableText({ name, rows, bytes }: TouchedTable): string {
  const count = rows === null ? "" : `${Math.round(rows).toLocaleString("en")} rows, `;
  return `${name} (${count}${sizeText(bytes)})`;
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** `12 MB`, `3.4 GB`. */
export function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `less than a minute`, `about 5 minutes`, `about 3 hours`. */
export function duration(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `about ${minutes} minutes` : `about ${Math.ceil(minutes / 60)} hours`;
}
