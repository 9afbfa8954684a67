import { join } from "node:path";
import { inRunFolder } from "../run-folder.ts";

/** Folder of the bundles in the folder of a run. `test/runner/runtime.cjs` loads test files from it. */
export const BUNDLES = "bundles";

/** All scripts that tests start. */
export const SCRIPTS = [
  "command.ts",
  "export.ts",
  "exporter/main.ts",
  "exporter/process/worker.ts",
  "gateway/main.ts",
  "generate.ts",
  "indexer/main.ts",
  "indexer/prices/main.ts",
  "keys.ts",
  "main.ts",
  "rest-compat/main.ts",
  "signatures/main.ts",
  "signatures/process/worker.ts",
  "subgraphs/evm/main.ts",
  "subgraphs/metrics/main.ts",
  "subgraphs/node/main.ts",
  "subgraphs/operations/main.ts",
  "subgraphs/primary-network/main.ts",
  "subgraphs/signatures/main.ts",
  "test/live/indexer-process.ts",
  "test/live/primary-replay-process.ts",
  "test/support/exports/exporter-process.ts",
  "verify.ts",
] as const;
export type Script = (typeof SCRIPTS)[number];

/** Returns the file of a script that is bundled with all that it imports, so that a process starts in a fifth of the time. */
export function bundled(script: Script): string {
  return inRunFolder(join(BUNDLES, asBundle(script)));
}

/**
 * Options of Node.js for processes that tests start. Most processes end within seconds, so optimised code and threads for the
 * collection of garbage take more CPU time than they save: a quarter of that of a start.
 */
const OPTIONS = ["--no-opt", "--single-threaded-gc"];

/** Returns the arguments with which Node.js runs a bundled script. */
export function bundledCommand(script: Script): string[] {
  return [...OPTIONS, bundled(script)];
}

export function asBundle(source: string): string {
  return source.replace(/\.ts$/, ".mjs");
}

export function isScript(source: string): source is Script {
  return (SCRIPTS as readonly string[]).includes(source);
}
