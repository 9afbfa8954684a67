import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions, PRODUCT_SCRIPTS } from "./options.mjs";
import { findLines, linesFile } from "./source-map.mjs";

/** Writes the bundles of the scripts of the product into a directory. They are run in `scriptDirectory`. */
export async function bundle(directory, scriptDirectory) {
  await build(bundleOptions({ entryPoints: PRODUCT_SCRIPTS, outdir: directory, scriptDirectory }));
  writeLines(directory);
}

/** Writes for each source map where its lines begin, so that no process has to find out while it answers requests. */
function writeLines(directory) {
  for (const name of readdirSync(directory, { recursive: true })) {
    const file = join(directory, String(name));
    if (file.endsWith(".map")) writeFileSync(linesFile(file), findLines(readFileSync(file, "utf8")));
  }
}
