import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine as Engine, MigrationList } from "@prisma/schema-engine-wasm";
import pg from "pg";
import { migrateJobQueue } from "./job-queue.ts";

const PRISMA_FOLDER = fileURLToPath(new URL("../prisma", import.meta.url));
/** Key of the advisory lock. It never changes, so that processes of different versions exclude each other. */
const MIGRATION_LOCK = 7_219_348_113;
const FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Applies the migrations of `prisma/migrations` that the database lacks, records them in Prisma's table, and returns their
 * names. Also creates the tables of the job queue. Several processes may call it at once: one applies the migrations, the others
 * wait. Throws if the database has migrations of a newer version, or if a migration fails. `report` gets a line before and after each
 * part of a migration that can take minutes.
 */
export async function migrate(
  url: string,
  report: (line: string) => void = (line) => console.error(line),
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const list = migrations();
    const missing = await missingMigrations(client, list);
    const applied = missing.length === 0 ? [] : await applyMigrations(url, list, report);
    await migrateJobQueue(client, url);
    return applied;
  } finally {
    await client.end();
  }
}

/**
 * The SQL that creates the tables of `schema.prisma` in an empty database. `url` names any reachable database, which is not
 * changed.
 */
export async function schemaSql(url: string): Promise<string> {
  const path = join(PRISMA_FOLDER, "schema.prisma");
  return withEngine(url, async (engine) => {
    const to = { tag: "schemaDatamodel" as const, files: [{ path, content: readFileSync(path, "utf8") }] };
    const { stdout } = await engine.diff({
      from: { tag: "empty" },
      to,
      script: true,
      exitCode: null,
      filters: FILTERS,
    });
    return stdout ?? "";
  });
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

/**
 * Applies and records all migrations in one transaction, so that a kill at any moment leaves all of them or none. The engine is
 * given a pool of one connection on which the transaction is already open.
 */
function applyMigrations(
  url: string,
  migrationsList: MigrationList,
  report: (line: string) => void,
): Promise<readonly string[]> {
  return withEngine(url, async (engine, pool, scripts) => {
    const client = await pool.connect();
    client.on("notice", ({ severity, message }) => {
      if (severity === "INFO") report(message ?? "");
    });
    await client.query("BEGIN");
    client.release();
    // After the error of a script, the engine fails to record it, because the transaction has ended, and would throw that second error.
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList, filters: FILTERS })
      .catch((error: unknown) => {
        throw scripts.error ?? error;
      });
    await pool.query("COMMIT");
    return appliedMigrationNames;
  });
}

/** The first error of the scripts that the engine ran. */
interface Scripts {
  error?: unknown;
}

/**
 * Prisma's adapter splits a script at each semicolon, also within code that is quoted. PostgreSQL runs several statements of one text
 * itself.
 */
function runWholeScripts(pool: pg.Pool, scripts: Scripts): PrismaPg {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      await pool.query(script).catch((error: unknown) => {
        scripts.error ??= error;
        throw error;
      });
    };
    return adapter;
  };
  return factory;
}

async function withEngine<Result>(
  url: string,
  use: (engine: Engine, pool: pg.Pool, scripts: Scripts) => Promise<Result>,
): Promise<Result> {
  const { SchemaEngine } = await loadEngine();
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  const scripts: Scripts = {};
  const adapter = bindMigrationAwareSqlAdapterFactory(runWholeScripts(pool, scripts));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
  try {
    return await use(engine, pool, scripts);
  } finally {
    engine.free();
    await pool.end();
  }
}

/** Part of a global object of Node.js that is missing in its TypeScript types. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let engineModule: ReturnType<typeof instantiate> | undefined;

/** Loads the engine once per process, because the package keeps its instance in module state. */
function loadEngine(): ReturnType<typeof instantiate> {
  engineModule ??= instantiate();
  return engineModule;
}

/** Node.js cannot import WebAssembly as a module yet, so this does what the package's entry point would do. */
async function instantiate(): Promise<typeof import("@prisma/schema-engine-wasm")> {
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const binary = readFileSync(join(entry, "..", "schema_engine_bg.wasm"));
  // The engine's lock timer of ten seconds must not keep the process alive.
  const timer = Object.keys(glue).find((name) => name.startsWith("__wbg_setTimeout")) ?? "";
  const unreferenced = { [timer]: (run: () => void, delayMs: number) => setTimeout(run, delayMs).unref() };
  const imports = { "./schema_engine_bg.js": { ...glue, ...unreferenced } };
  const { instance } = await WebAssembly.instantiate(binary, imports);
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports["__wbindgen_start"] as () => void)();
  return glue as unknown as typeof import("@prisma/schema-engine-wasm");
}
