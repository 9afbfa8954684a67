import { availableParallelism } from "node:os";
import { register } from "tsx/esm/api";

// For the modules that Jest loads in this process. Its workers load bundles.
register();

/** Runs bundles of the TypeScript sources: see docs/decisions/007-jest-runtime.md. */
export default {
  roots: ["<rootDir>"],
  testMatch: ["<rootDir>/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.moraine"],
  runtime: "<rootDir>/tools/jest/runtime.cjs",
  testSequencer: "<rootDir>/tools/jest/sequencer.cjs",
  testEnvironment: "<rootDir>/tools/jest/environment.cjs",
  transform: {},
  // `.mjs`, because Jest would `require` a `.ts` file and load a second copy of each module.
  globalSetup: "<rootDir>/tools/jest/global-setup.mjs",
  globalTeardown: "<rootDir>/tools/jest/global-teardown.mjs",
  /** One more than there are cores, because tests often wait for nodes and databases. */
  maxWorkers: availableParallelism() + 1,
  // With a limit, Jest runs even a single file in a worker. In this process, Prisma's schema engine is already loaded, and a
  // second copy of it never answers.
  workerIdleMemoryLimit: "20GB",
  testTimeout: 60_000,
};
