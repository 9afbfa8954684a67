// `node build/build.mjs` builds the scripts of the product from the present sources, unless this build exists.
import { existsSync, renameSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { buildDirectory, createUnfinished, removeUnused } from "./directories.mjs";
import { bundleOptions, productScripts } from "./options.mjs";

let directory = buildDirectory();
try {
  while (!existsSync(directory)) directory = await built(directory);
} catch (error) {
  // esbuild has printed the errors in the sources.
  if (!error.errors) console.error(`Moraine could not be built: ${error.message}`);
  process.exitCode = 1;
}

/** Builds the scripts, and returns the directory of the sources as they are then. Several processes may do this at the same time. */
async function built(target) {
  const unfinished = createUnfinished();
  try {
    await build(bundleOptions({ entryPoints: productScripts(), outdir: unfinished, scriptDirectory: target }));
    // If a source has changed in the meantime, the build may contain the old or the new one.
    if (buildDirectory() === target) renameSync(unfinished, target);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeUnused(target);
  return buildDirectory();
}
