import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { migrations } from "../../core/database/database-version.ts";

/** The rows of a database as a release of Moraine has written them. */
export interface ReleaseDump {
  /** Migrations that the release had, in their order. */
  readonly migrations: readonly string[];
  /** Partitions, each after its parent. */
  readonly partitions: readonly Partition[];
  readonly tables: readonly TableRows[];
}

interface Partition {
  readonly name: string;
  readonly parent: string;
  /** `FOR VALUES …`. */
  readonly bound: string;
}

interface TableRows {
  readonly name: string;
  /** A JSON list of objects, as PostgreSQL writes it: it keeps every digit of a number. */
  readonly rows: string;
}

const PARTITIONS = `SELECT child.relname AS name, parent.relname AS parent, pg_get_expr(child.relpartbound, child.oid) AS bound
  FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
  WHERE child.relkind IN ('r', 'p') AND child.relnamespace = current_schema()::regnamespace ORDER BY child.oid`;

/** Tables that have rows of their own: those without partitions. */
const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> '_prisma_migrations' ORDER BY relname`;

/** Reads all rows of a database of this version. */
export async function readDump(pool: pg.Pool): Promise<ReleaseDump> {
  const partitions = (await pool.query<Partition>(PARTITIONS)).rows;
  const tables: TableRows[] = [];
  for (const { name } of (await pool.query<{ name: string }>(TABLES)).rows) {
    const text = `SELECT json_agg(to_json(t))::text AS rows FROM ${pg.escapeIdentifier(name)} t`;
    const { rows } = (await pool.query<{ rows: string | null }>(text)).rows[0] ?? { rows: null };
    if (rows !== null) tables.push({ name, rows });
  }
  return { migrations: migrations().map(({ name }) => name), partitions, tables };
}

/** Writes a dump into an empty database, with the tables of its release. */
export async function restoreDump(url: string, dump: ReleaseDump): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(MIGRATIONS_TABLE);
    for (const name of dump.migrations) await applyMigration(client, name);
    for (const { name, parent, bound } of dump.partitions)
      await client.query(
        `CREATE TABLE ${pg.escapeIdentifier(name)} PARTITION OF ${pg.escapeIdentifier(parent)} ${bound}`,
      );
    for (const { name, rows } of dump.tables) {
      const table = pg.escapeIdentifier(name);
      await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [rows]);
    }
  } finally {
    await client.end();
  }
}

/** The table of Prisma's command line, in which a database names its migrations. */
const MIGRATIONS_TABLE = `CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL,
  finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

async function applyMigration(client: pg.Client, name: string): Promise<void> {
  const migration = migrations().find((one) => one.name === name);
  if (!migration) throw new Error(`migration ${name} of a release was removed: databases of the release have it`);
  await client.query(migration.sql);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, now(), 1)`,
    [hash("sha256", migration.sql), name],
  );
}

export function writeDumpFile(path: string, dump: ReleaseDump): void {
  writeFileSync(path, gzipSync(JSON.stringify(dump), { level: 9 }));
}

export function readDumpFile(path: string): ReleaseDump {
  return JSON.parse(gunzipSync(readFileSync(path)).toString());
}
