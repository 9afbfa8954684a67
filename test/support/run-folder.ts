import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Inside node_modules, so that a bundle in it finds the packages outside it. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
const FOLDER_VARIABLE = "MORAINE_TEST_RUN_FOLDER";

/**
 * Creates the folder for files that are made once in a run of the tests, and names it to the workers. Returns the function
 * that removes it.
 */
export function createRunFolder(): () => void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${CACHE}test-run-`);
  process.env[FOLDER_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Path of a file in the folder of this run. */
export function inRunFolder(file: string): string {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error("the folder of a run exists only while the tests run");
  return join(folder, file);
}
