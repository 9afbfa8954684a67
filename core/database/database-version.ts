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

/** The first migration of the versions before the first release. This version cannot upgrade their databases. */
const FIRST_BEFORE_RELEASES = "20261121000000_init";

/** The migrations of which one is in each database of Moraine, also in those that this version cannot upgrade. */
export const firstMigrations = (): readonly string[] =>
  [migrations()[0]?.name, FIRST_BEFORE_RELEASES].filter((name) => name !== undefined);

/**
 * The migrations that the database lacks. Throws `ConfigError` if this version cannot upgrade the database: its tables are those of a
 * version before the first release, or it has migrations of a newer version.
 */
export async function missingMigrations(client: pg.Client): Promise<Migration[]> {
  const wanted = migrations();
  if (!(await hasTable(client, "_prisma_migrations"))) return wanted;
  const { rows } = await client.query<{ name: string; finished: boolean }>(
    "SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  const known = new Set(wanted.map(({ name }) => name));
  const unknownNames = rows.map(({ name }) => name).filter((name) => !known.has(name));
  if (unknownNames.length > 0) throw unknownMigration(unknownNames);
  const finished = new Set(rows.filter((row) => row.finished).map(({ name }) => name));
  return wanted.filter(({ name }) => !finished.has(name));
}

function unknownMigration(names: readonly string[]): ConfigError {
  if (names.includes(FIRST_BEFORE_RELEASES))
    return new ConfigError(
      "the tables of the database are those of a version of Moraine before the first release, which this version cannot upgrade: drop the database or name an empty one (setting databaseUrl), or without that setting delete the data directory .moraine or name a new one (setting dataDirectory), and all blocks are indexed again. The database was not changed",
    );
  return new ConfigError(
    `the database is newer than this version of Moraine, which does not know its migration ${names[0]}: start the newer version, or name another database (setting databaseUrl) or data directory (setting dataDirectory)`,
  );
}

/** True if there is a table with this name, which may be qualified by a schema. Names are folded as in SQL, unless they are quoted. */
export async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>("SELECT to_regclass($1) IS NOT NULL AS known", [name]);
  return rows[0]?.known === true;
}
