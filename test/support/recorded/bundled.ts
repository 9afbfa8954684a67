import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OnLoadArgs, type OnLoadResult } from "esbuild";

/** In node_modules, so that the bundle finds its packages. */
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a script with its local imports into one file, so that a process starts in a third of the time.
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
    packages: "external",
    logLevel: "error",
    plugins: [{ name: "modules keep their own URL", setup: (builder) => builder.onLoad({ filter: /\.ts$/ }, load) }],
  });
  return outfile;
}

function load({ path }: OnLoadArgs): OnLoadResult {
  const url = JSON.stringify(pathToFileURL(path).href);
  return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", url) };
}
