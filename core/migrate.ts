import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MigrationList } from "@prisma/schema-engine-wasm";
import pg from "pg";
import { isJobQueueMigrated, migrateJobQueue } from "./job-queue.ts";
import { type ReportLine, UNLIMITED } from "./migration-session.ts";

const PRISMA_FOLDER = fileURLToPath(new URL("../prisma", import.meta.url));
/** Key of the advisory lock. It never changes, so that processes of different versions exclude each other. */
const MIGRATION_LOCK = 7_219_348_113;

/**
 * Applies the migrations of `prisma/migrations` that the database lacks, records them in Prisma's table, and returns their
 * names. Also creates the tables of the job queue. Several processes may call it at once: one applies the migrations, the others
 * wait. Throws if the database has migrations of a newer version, or if a migration fails. `report` gets a line before each part of a
 * migration that can take minutes, and if another process migrates the database.
 */
export function migrate(url: string, report: ReportLine = (line) => console.error(line)): Promise<readonly string[]> {
  return withClient(url, async (client) => {
    await lock(client, report);
    const list = migrations();
    const missing = await missingMigrations(client, list);
    const applied = missing.length === 0 ? [] : await applyAll(url, list, report);
    await migrateJobQueue(client, url);
    return applied;
  });
}

/** True if `migrate` would change nothing. Throws if the database has migrations of a newer version. */
export function isMigrated(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const missing = await missingMigrations(client, migrations());
    return missing.length === 0 && (await isJobQueueMigrated(client));
  });
}

async function lock(client: pg.Client, report: ReportLine): Promise<void> {
  const { rows } = await client.query<{ got: boolean }>("SELECT pg_try_advisory_lock($1) AS got", [MIGRATION_LOCK]);
  if (rows[0]?.got) return;
  report("another process upgrades the database: waiting until it has finished");
  await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  // Without a listener, the loss of an idle connection would end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(UNLIMITED);
    return await use(client);
  } finally {
    await client.end();
  }
}

function migrations(): MigrationList {
  const baseDir = join(PRISMA_FOLDER, "migrations");
  const names = readdirSync(baseDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const lockPath = join(baseDir, "migration_lock.toml");
  return {
    baseDir,
    lockfile: { path: "migration_lock.toml", content: existsSync(lockPath) ? readFileSync(lockPath, "utf8") : null },
    shadowDbInitScript: "",
    migrationDirectories: names.sort().map((path) => ({
      path,
      migrationFile: {
        path: "migration.sql",
        content: { tag: "ok", value: readFileSync(join(baseDir, path, "migration.sql"), "utf8") },
      },
    })),
  };
}

/** Reads Prisma's table directly: if no migration is missing, the engine, which loads slowly, is not needed. */
async function missingMigrations(client: pg.Client, list: MigrationList): Promise<readonly string[]> {
  const known = "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS known";
  const wanted = list.migrationDirectories.map((directory) => directory.path);
  if (!(await client.query<{ known: boolean }>(known)).rows[0]?.known) return wanted;
  const { rows } = await client.query<{ migration_name: string; finished: boolean }>(
    "SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  const unknownMigration = rows.find((row) => !wanted.includes(row.migration_name));
  if (unknownMigration)
    throw new Error(
      `the database has migration ${unknownMigration.migration_name}, which this version does not know: start a newer version, or use another database`,
    );
  const finished = new Set(rows.filter((row) => row.finished).map((row) => row.migration_name));
  return wanted.filter((name) => !finished.has(name));
}

/** The engine takes much memory and time to load, and most starts do not need it. */
async function applyAll(url: string, list: MigrationList, report: ReportLine): Promise<readonly string[]> {
  const { applyMigrations } = await import("./schema-engine.ts");
  return applyMigrations(url, list, report);
}
