import { availableParallelism } from "node:os";

/** Runs the TypeScript sources as ES modules, exactly as `npm start` does (no decorator metadata in either). */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>"],
  testMatch: ["<rootDir>/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/.moraine"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript", decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: false },
          target: "es2022",
        },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  /** Tests wait for nodes and databases more than they compute. */
  maxWorkers: Math.max(2, availableParallelism()),
  testTimeout: 60_000,
};
