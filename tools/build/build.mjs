// `node tools/build/build.mjs` builds the scripts of the product from the present sources, unless a build of these sources exists.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { buildDirectory, createUnfinished, removeUnused } from "./directories.mjs";
import { bundleOptions, PRODUCT_SCRIPTS } from "./options.mjs";
import { findLines, linesFile } from "./source-map.mjs";

let directory = buildDirectory();
try {
  while (!existsSync(directory)) directory = await built(directory);
} catch (error) {
  // esbuild has printed the errors in the sources.
  if (!error.errors) console.error(`Moraine could not be built: ${error.message}`);
  process.exitCode = 1;
}

/** Builds the scripts, and returns the build directory of the sources as they are afterwards. Several processes may build at once. */
async function built(target) {
  const unfinished = createUnfinished();
  try {
    await build(bundleOptions({ entryPoints: PRODUCT_SCRIPTS, outdir: unfinished, scriptDirectory: target }));
    writeLines(unfinished);
    // If a source has changed in the meantime, the build may contain its old or its new text, and is removed.
    if (buildDirectory() === target) renameSync(unfinished, target);
  } catch (error) {
    // Another process may have completed the same build first.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeUnused(target);
  return buildDirectory();
}

/** Writes for each source map where its lines begin, so that no process has to find out while it answers requests. */
function writeLines(directory) {
  for (const name of readdirSync(directory, { recursive: true })) {
    const file = join(directory, String(name));
    if (file.endsWith(".map")) writeFileSync(linesFile(file), findLines(readFileSync(file, "utf8")));
  }
}
