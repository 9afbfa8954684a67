// `node tools/build/build.mjs` builds the scripts of the product from the present sources, unless a build of these sources exists.
import { existsSync, renameSync, rmSync } from "node:fs";
import { bundle } from "./bundle.mjs";
import { buildDirectory, createUnfinished, removeUnused } from "./directories.mjs";

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
    await bundle(unfinished, target);
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
