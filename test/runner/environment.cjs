const { ModuleMocker } = require("jest-mock");

/** Runs test files with the worker's own globals, which they share. */
class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #exit = process.exit;

  async setup() {
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    // Jest maps positions in stack traces by its own transforms, and there are none; Node maps them instead.
    Error.prepareStackTrace = undefined;
    process.setSourceMapsEnabled(true);
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
