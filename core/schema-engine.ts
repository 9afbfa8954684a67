import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine as Engine, MigrationList } from "@prisma/schema-engine-wasm";
import pg from "pg";
import { ConfigError } from "./config.ts";
import { createPool } from "./postgres/connect.ts";
import { connectionSettings } from "./postgres/connection-settings.ts";
import type { ReportLine } from "./report-line.ts";

const PRISMA_FOLDER = fileURLToPath(new URL("../prisma", import.meta.url));
const FILTERS = { externalTables: [], externalEnums: [] };

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

/**
 * Applies and records all migrations in one transaction, so that a kill at any moment leaves all of them or none. The engine is
 * given a pool of one connection on which the transaction is already open.
 */
export function applyMigrations(
  url: string,
  migrationsList: MigrationList,
  report: ReportLine,
): Promise<readonly string[]> {
  return withEngine(url, async (engine, pool, scripts) => {
    const client = await pool.connect();
    client.on("notice", ({ message = "" }) => {
      // The severity of a notice is a word in the language of the server.
      if (REPORTED.test(message)) report(message);
    });
    // The server then notices within a second that this process has ended. Not all systems support it.
    await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
    await client.query("BEGIN");
    client.release();
    // When a script fails, its transaction ends. The engine then cannot record the failure, and throws an error about that. The error of
    // the script is thrown instead.
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList, filters: FILTERS })
      .catch((error: unknown) => {
        throw refusalOf(scripts.error) ?? scripts.error ?? error;
      });
    await pool.query("COMMIT");
    return appliedMigrationNames;
  });
}

/** PostgreSQL's code of RAISE EXCEPTION, by which a migration tells the operator why it cannot be applied. */
const RAISED = "P0001";

function refusalOf(error: unknown): ConfigError | null {
  return error instanceof pg.DatabaseError && error.code === RAISED ? new ConfigError(error.message) : null;
}

/** The lines that migrations report by RAISE INFO begin like this. */
const REPORTED = /^(upgrading the database|chain \d+): /;

/** The first error of the scripts that the engine ran. */
interface Scripts {
  error?: unknown;
}

/**
 * Prisma's adapter splits a script at each semicolon, also within code that is quoted. PostgreSQL runs several statements of one text
 * itself.
 */
function runWholeScripts(pool: pg.Pool, schema: string, scripts: Scripts): PrismaPg {
  const factory = new PrismaPg(pool, { schema });
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
  const pool = createPool(url, { max: 1, idleTimeoutMillis: 0 });
  pool.on("error", () => {});
  const scripts: Scripts = {};
  const adapter = bindMigrationAwareSqlAdapterFactory(runWholeScripts(pool, connectionSettings(url).schema, scripts));
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
