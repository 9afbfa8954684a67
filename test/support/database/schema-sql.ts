import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { migrations } from "../../../core/database/database-version.ts";

const PATH = fileURLToPath(new URL("../../../prisma/schema.prisma", import.meta.url));

type Engine = import("@prisma/schema-engine-wasm").SchemaEngine;

const FILTERS = { externalTables: [], externalEnums: [] };

/**
 * The SQL that creates the tables of `schema.prisma` in an empty database. `url` names any reachable database, which is not
 * changed.
 */
export function schemaSql(url: string): Promise<string> {
  return withEngine(url, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: "empty" },
      to: { tag: "schemaDatamodel", files: [{ path: PATH, content: readFileSync(PATH, "utf8") }] },
      script: true,
      exitCode: null,
      filters: FILTERS,
    });
    return stdout ?? "";
  });
}

/** The migrations that Prisma would apply to a database, and those that it finds changed or failed, by what the database records. */
export function prismaHistory(url: string) {
  const migrationDirectories = migrations().map(({ name, sql }) => ({
    path: name,
    migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: sql } },
  }));
  const migrationsList = {
    baseDir: "prisma/migrations",
    lockfile: { path: "migration_lock.toml", content: readFileSync("prisma/migrations/migration_lock.toml", "utf8") },
    shadowDbInitScript: "",
    migrationDirectories,
  };
  return withEngine(url, async (engine) => {
    const { editedMigrationNames, failedMigrationNames } = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: FILTERS,
    });
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: FILTERS });
    return { editedMigrationNames, failedMigrationNames, appliedMigrationNames };
  });
}

async function withEngine<Result>(url: string, use: (engine: Engine) => Promise<Result>): Promise<Result> {
  const { SchemaEngine } = await loadEngine();
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(url));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
  try {
    return await use(engine);
  } finally {
    engine.free();
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
