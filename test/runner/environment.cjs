const { ModuleMocker } = require("jest-mock");

/** The worker's own globals, which all its test files share. */
class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #exit = process.exit;

  async setup() {
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    // Jest would map positions by what it has transformed itself, which is nothing.
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
