import { availableParallelism } from "node:os";
import { register } from "tsx/esm/api";

// For what Jest itself loads here; workers do the same for theirs.
register();

/** Runs the TypeScript sources as `npm start` does: the same modules, the same loader. */
export default {
  roots: ["<rootDir>"],
  testMatch: ["<rootDir>/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.moraine"],
  runtime: "<rootDir>/test/runner/runtime.cjs",
  testSequencer: "<rootDir>/test/runner/sequencer.cjs",
  testEnvironment: "<rootDir>/test/runner/environment.cjs",
  transform: {},
  // Jest imports these and requires all else: in this process tests are to find the modules that these have loaded.
  globalSetup: "<rootDir>/test/runner/global-setup.mjs",
  globalTeardown: "<rootDir>/test/runner/global-teardown.mjs",
  /** Tests wait for nodes and databases more than they compute. */
  maxWorkers: availableParallelism() + 1,
  testTimeout: 60_000,
};
