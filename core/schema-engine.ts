import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine as Engine, MigrationList } from "@prisma/schema-engine-wasm";
import pg from "pg";

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
export function applyMigrations(url: string, migrationsList: MigrationList): Promise<readonly string[]> {
  return withEngine(url, async (engine, pool) => {
    await pool.query("BEGIN");
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: FILTERS });
    await pool.query("COMMIT");
    return appliedMigrationNames;
  });
}

async function withEngine<Result>(
  url: string,
  use: (engine: Engine, pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const { SchemaEngine } = await loadEngine();
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
  try {
    return await use(engine, pool);
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
