const { pathToFileURL } = require("node:url");
const JestRuntime = require("jest-runtime").default;

const loader = import("tsx/esm/api").then(({ register }) => register());
let runs = 0;

/**
 * Node's own modules in place of Jest's: what one test file has loaded, the next of the same worker has at hand. Loading
 * the graph anew for each file took longer than all tests.
 */
class SharedRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** The file itself is run anew each time. */
  async unstable_importModule(path) {
    await loader;
    runs++;
    return import(`${pathToFileURL(path).href}?run=${runs}`);
  }

  /** Jest's own, which holds the state of one test file. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }
}

module.exports = SharedRuntime;
