import { testConfig } from "../../test/support/config.ts";
import { keepBusy } from "../../test/support/keep-busy.ts";
import { createLogger } from "../logger.ts";
import { createAdmission } from "./admission.ts";

const REFUSED = 200;

it("many refusals that are delayed until the same moment are answered in several iterations of the event loop", async () => {
  const config = testConfig({ admission: { heavyOperations: 1, waitingHeavyOperations: 1 } });
  const admission = createAdmission(config, createLogger("silent"));
  const release = await admission.enter({ costClass: "heavy", caller: "a" });
  const waiting = admission.enter({ costClass: "heavy", caller: "a" });
  let iterations = 0;
  let next = setImmediate(function count() {
    iterations++;
    next = setImmediate(count);
  });
  const answered: { readonly at: number; readonly iteration: number }[] = [];
  const refusals = Array.from({ length: REFUSED }, async (_, at) => {
    await expect(admission.refuse("heavy", "a")).rejects.toThrow("overloaded");
    keepBusy(1);
    answered.push({ at, iteration: iterations });
  });
  await Promise.all(refusals);
  clearImmediate(next);
  // Those after the first 120 are delayed by a second, and the answers to these take 80 ms.
  const together = answered.filter(({ at }) => at >= 120);
  expect(new Set(together.map(({ iteration }) => iteration)).size).toBeGreaterThan(3);
  expect(together.map(({ at }) => at)).toEqual([...together.map(({ at }) => at)].sort((a, b) => a - b));
  release();
  (await waiting)();
});
