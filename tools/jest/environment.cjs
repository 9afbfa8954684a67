const { ModuleMocker } = require("jest-mock");
const { mapFailures } = require("./source-positions.cjs");

// Jest kills a worker that has not ended after half a second. Node needs longer to release a heap of a gigabyte; `exit` does not
// release it.
process.once("beforeExit", () => process.exit());

/** Runs test files with the worker's own globals, which they share. */
class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #exit = process.exit;

  async setup() {
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    // Jest maps positions in all stack traces by its own transforms, and there are none. Node would map those of all errors
    // that code under test creates, which takes longer than many tests; only those of failures are shown.
    Error.prepareStackTrace = undefined;
    Error.stackTraceLimit = 20;
  }

  handleTestEvent(event, state) {
    if (event.name === "run_finish") mapFailures(state);
  }

  async teardown() {
    process.exit = this.#exit;
  }

  exportConditions() {
    return ["node"];
  }

  getVmContext() {
    return null;
  }
}

module.exports = SharedEnvironment;
