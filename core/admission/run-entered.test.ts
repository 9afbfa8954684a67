import { testConfig } from "../../test/support/config.ts";
import { createLogger } from "../logger.ts";
import { currentScope, runInRequest } from "../observability/request-scope.ts";
import { createWork } from "../work/work.ts";
import { createAdmission } from "./admission.ts";
import { Overloaded } from "./overloaded.ts";
import { runEntered } from "./run-entered.ts";

const becomeHeavy = async (characters = 1) => currentScope()?.place?.becomeHeavy(characters);

function setUp(waitingHeavyOperations = 1) {
  const config = testConfig({ admission: { heavyOperations: 1, waitingHeavyOperations } });
  const admission = createAdmission(config, createLogger("silent"));
  const { gates } = admission;
  const counts = () => ({
    light: gates.light.running,
    heavy: gates.heavy.running,
    waiting: gates.heavy.waiting,
  });
  /** Enters as a light operation of a request of its own, and runs. */
  const runLight = <Result>(caller: string, run: () => Promise<Result>): Promise<Result> =>
    runInRequest(caller, createWork(), async () => {
      const release = await admission.enter({ costClass: "light", caller });
      return runEntered({ admission, costClass: "light", caller }, release, run);
    });
  return { admission, counts, runLight };
}

describe("a light operation whose statement returns much", () => {
  it("exchanges its place for that of a heavy one, once", async () => {
    const { counts, runLight } = setUp();
    const seen: object[] = [];
    await runLight("a", async () => {
      seen.push(counts());
      await Promise.all([becomeHeavy(), becomeHeavy()]);
      await becomeHeavy();
      seen.push(counts());
    });
    expect(seen).toEqual([
      { light: 1, heavy: 0, waiting: 0 },
      { light: 0, heavy: 1, waiting: 0 },
    ]);
    expect(counts()).toEqual({ light: 0, heavy: 0, waiting: 0 });
  });

  it("waits for the place without one of a light operation, and ends when it has failed meanwhile", async () => {
    const { admission, counts, runLight } = setUp();
    const release = await admission.enter({ costClass: "heavy", caller: "other" });
    const waiting = runLight("a", () => becomeHeavy());
    const failed = runLight("b", async () => {
      void becomeHeavy();
      throw new Error("another part fails");
    });
    await expect(failed).rejects.toThrow("another part fails");
    expect(counts()).toEqual({ light: 0, heavy: 1, waiting: 2 });
    release();
    await waiting;
    await new Promise(setImmediate);
    expect(counts()).toEqual({ light: 0, heavy: 0, waiting: 0 });
  });

  it("is refused if there is no place, also if a part of the operation ignores that", async () => {
    const { admission, counts, runLight } = setUp(1);
    const release = await admission.enter({ costClass: "heavy", caller: "other" });
    const waiting = ["b", "c"].map((caller) => runLight(caller, () => becomeHeavy()));
    await new Promise(setImmediate);
    const ignoring = runLight("a", async () => {
      await becomeHeavy().catch(() => {});
      return "a result";
    });
    await expect(ignoring).rejects.toBeInstanceOf(Overloaded);
    release();
    await Promise.all(waiting);
    expect(counts()).toEqual({ light: 0, heavy: 0, waiting: 0 });
  });

  const MI = 1 << 20;

  it("is not refused because of its second statement if it has the place of a heavy one already", async () => {
    const { admission, runLight } = setUp(10);
    const releaseRows = admission.holdRows({ costClass: "heavy", caller: "a" }, { characters: 10 * MI, own: 0 });
    await runLight("a", async () => {
      const first = becomeHeavy(6 * MI);
      await Promise.all([first, becomeHeavy(6 * MI)]);
    });
    releaseRows();
  });

  it("is refused if the rows of its caller's operations that wait would have more than 16 Mi characters together", async () => {
    const { admission, counts, runLight } = setUp(10);
    const release = await admission.enter({ costClass: "heavy", caller: "other" });
    // A single one may have more, in several statements.
    const waiting = runLight("a", () => Promise.all([becomeHeavy(20 * MI), becomeHeavy(20 * MI)]));
    await new Promise(setImmediate);
    await expect(runLight("a", () => becomeHeavy())).rejects.toBeInstanceOf(Overloaded);
    expect(counts()).toEqual({ light: 0, heavy: 1, waiting: 1 });
    const others = ["b", "b"].map((caller) => runLight(caller, () => becomeHeavy(8 * MI)));
    await new Promise(setImmediate);
    release();
    await Promise.all([waiting, ...others]);
    // Rows that wait no more count no more.
    const releaseAgain = await admission.enter({ costClass: "heavy", caller: "other" });
    const again = ["a", "a"].map((caller) => runLight(caller, () => becomeHeavy(8 * MI)));
    await new Promise(setImmediate);
    releaseAgain();
    await Promise.all(again);
  });

  it("is refused if the rows of all that wait would have more than 64 Mi characters, unless its caller has none", async () => {
    const { admission, runLight } = setUp(10);
    const release = await admission.enter({ costClass: "heavy", caller: "other" });
    const waiting = ["a", "b", "c", "d", "e"].map((caller) => runLight(caller, () => becomeHeavy(15 * MI)));
    await new Promise(setImmediate);
    await expect(runLight("a", () => becomeHeavy())).rejects.toBeInstanceOf(Overloaded);
    release();
    await Promise.all(waiting);
  });

  it("stays as it is in other classes, and after its end", async () => {
    const { admission } = setUp();
    await runInRequest("a", createWork(), async () => {
      await runEntered({ admission, costClass: null, caller: "a" }, null, async () => {
        expect(currentScope()?.place).toBeUndefined();
      });
      const release = await admission.enter({ costClass: "light", caller: "a" });
      await runEntered({ admission, costClass: "light", caller: "a" }, release, async () => {
        expect(currentScope()?.place).toBeDefined();
      });
      expect(currentScope()?.place).toBeUndefined();
    });
  });
});
