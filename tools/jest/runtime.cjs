const asyncHooks = require("node:async_hooks");
const { join, relative } = require("node:path");
const { pathToFileURL } = require("node:url");
const JestRuntime = require("jest-runtime").default;
const { mapError } = require("./source-positions.cjs");

const NAME = "AsyncLocalStorage";

let runs = 0;

/**
 * Loads bundled modules with Node's own loader instead of Jest's, so that the test files of a worker share them. Loading the
 * graph for each file takes longer than all tests: see docs/decisions/007-jest-runtime.md.
 */
class SharedRuntime extends JestRuntime {
  #storages = [];

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** The query makes Node load the test file itself again. The global setup has bundled it. */
  async unstable_importModule(path) {
    runs++;
    try {
      return await import(`${pathToFileURL(this.#bundleOf(path)).href}?run=${runs}`);
    } catch (error) {
      mapError(error);
      throw error;
    }
  }

  #bundleOf(path) {
    const inRoot = relative(this._config.rootDir, path).replace(/\.ts$/, ".mjs");
    return join(process.env.MORAINE_TEST_RUN_FOLDER, "bundles", inRoot);
  }

  /** Jest's own modules hold the state of one test file, so each file gets new ones. */
  requireInternalModule(path) {
    delete require.cache[path];
    // In later versions of Node.js, the class is a property that cannot be assigned.
    const { AsyncLocalStorage } = asyncHooks;
    const original = Object.getOwnPropertyDescriptor(asyncHooks, NAME);
    const storages = this.#storages;
    const value = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
    Object.defineProperty(asyncHooks, NAME, { value, configurable: true, enumerable: true });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, NAME, original);
    }
  }

  /** Node copies the value of each storage to each promise, so a worker would become slower with each file. */
  teardown() {
    for (const storage of this.#storages) storage.disable();
    super.teardown();
  }
}

module.exports = SharedRuntime;
