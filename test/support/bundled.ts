import { join } from "node:path";
import { inRunFolder } from "./run-folder.ts";

/** Folder of the bundles of the tests in the folder of a run. `tools/jest/runtime.cjs` loads test files from it. */
export const BUNDLES = "bundles";
/** Environment variable with the directory of the product's build that this run tests. */
export const BUILD_VARIABLE = "MORAINE_TEST_BUILD";

/** Scripts that only tests start. */
export const TEST_SCRIPTS = [
  "test/live/archive-process.ts",
  "test/live/indexer-process.ts",
  "test/live/primary-replay-process.ts",
  "test/support/descriptor-process.ts",
  "test/support/exports/exporter-process.ts",
];

/** Returns the bundle of a script. For a script of the product, it is the file that `npm start` and the other commands run. */
export function bundled(script: string): string {
  const directory = TEST_SCRIPTS.includes(script) ? inRunFolder(BUNDLES) : process.env[BUILD_VARIABLE];
  if (directory === undefined) throw new Error("the build is known only while the tests run");
  return join(directory, script.replace(/\.ts$/, ".mjs"));
}

/**
 * Options of Node.js for processes that tests start. Most processes end within seconds, so optimised code and threads for garbage
 * collection take more CPU time than they save: a quarter of the CPU time of a start.
 */
const OPTIONS = ["--no-opt", "--single-threaded-gc"];

/** Returns the arguments with which Node.js runs a command line of `moraine`, such as `start --only indexer`, or a script that only tests start. */
export function bundledCommand(line: string): string[] {
  if (TEST_SCRIPTS.includes(line)) return [...OPTIONS, bundled(line)];
  return [...OPTIONS, bundled("commands/main.ts"), ...line.split(" ").filter(Boolean)];
}
