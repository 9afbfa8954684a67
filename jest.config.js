import { availableParallelism } from "node:os";
import { register as registerRequire } from "tsx/cjs/api";
import { register as registerImport } from "tsx/esm/api";

// For what Jest itself loads here; workers do the same for theirs.
registerImport();
registerRequire();

/** Runs the TypeScript sources as `npm start` does: the same modules, the same loader. */
export default {
  roots: ["<rootDir>"],
  testMatch: ["<rootDir>/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.moraine"],
  runtime: "<rootDir>/test/runner/runtime.cjs",
  testEnvironment: "<rootDir>/test/runner/environment.cjs",
  transform: {},
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  /** Tests wait for nodes and databases more than they compute. */
  maxWorkers: availableParallelism() + 1,
  testTimeout: 60_000,
};
