import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { ConfigError } from "../config/config.ts";

const FOLDER = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

/** A migration of this version. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The migrations of this version, in their order. */
export function migrations(): Migration[] {
  const names = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  return names.sort().map((name) => ({ name, sql: readFileSync(`${FOLDER}/${name}/migration.sql`, "utf8") }));
}

/**
 * The migrations that the database lacks. Throws `ConfigError` if this version cannot upgrade the database: it has migrations of a newer
 * version, or its rows were written by a version that is too old.
 */
export async function missingMigrations(client: pg.Client): Promise<Migration[]> {
  const wanted = migrations();
  if (!(await hasTable(client, "_prisma_migrations"))) return wanted;
  const { rows } = await client.query<{ name: string; finished: boolean }>(
    "SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  const unknownMigration = rows.find((row) => !wanted.some(({ name }) => name === row.name));
  if (unknownMigration)
    throw new ConfigError(
      `the database is newer than this version of Moraine, which does not know its migration ${unknownMigration.name}: start the newer version, or name another database (setting databaseUrl) or data directory (setting dataDirectory)`,
    );
  const finished = new Set(rows.filter((row) => row.finished).map(({ name }) => name));
  const missing = wanted.filter(({ name }) => !finished.has(name));
  await requireUpgradable(client, missing);
  return missing;
}

/**
 * The first migration that rows can be upgraded from. A later one needs rows that only the indexer of a version with this migration
 * writes, so versions before it have no way to this one.
 */
const OLDEST_UPGRADABLE = "20261122000005_holdings";

async function requireUpgradable(client: pg.Client, missing: readonly Migration[]): Promise<void> {
  if (!missing.some(({ name }) => name === OLDEST_UPGRADABLE) || !(await hasBlocks(client))) return;
  throw new ConfigError(
    `the blocks in the database were indexed by a version of Moraine from before ${OLDEST_UPGRADABLE}, which this version cannot upgrade: name an empty database (setting databaseUrl) or a new data directory (setting dataDirectory), and all blocks are indexed again. The database was not changed`,
  );
}

async function hasBlocks(client: pg.Client): Promise<boolean> {
  for (const table of ["chain_heads", "primary_heads"]) {
    if (!(await hasTable(client, table))) continue;
    if ((await client.query(`SELECT FROM ${table} LIMIT 1`)).rowCount) return true;
  }
  return false;
}

/** True if there is a table with this name, which may be qualified by a schema. Names are folded as in SQL, unless they are quoted. */
export async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>("SELECT to_regclass($1) IS NOT NULL AS known", [name]);
  return rows[0]?.known === true;
}
