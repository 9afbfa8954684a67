import { testConfig } from "../../test/support/config.ts";
import { keepBusy } from "../../test/support/keep-busy.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
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

it("refusals are logged at once, and then every ten seconds with their number since the last line", async () => {
  const config = testConfig({ admission: { heavyOperations: 1, waitingHeavyOperations: 1 } });
  const { logger, lines } = createLogLines("trace");
  const clock = { ms: 500_000 };
  const admission = createAdmission(config, logger, () => clock.ms);
  const release = await admission.enter({ costClass: "heavy", caller: "a" });
  const waiting = admission.enter({ costClass: "heavy", caller: "a" });
  const refuse = () => expect(admission.refuse("heavy", "a")).rejects.toThrow("overloaded");
  const line = (refused: number) => ({
    level: 40,
    queue: "heavy",
    refused,
    msg: `the service is overloaded; requests refused since the last line of this kind: ${refused}`,
  });
  await refuse();
  expect(lines).toEqual([line(1)]);
  for (const waitMs of [1, 2_000, 7_998]) {
    clock.ms += waitMs;
    await refuse();
  }
  expect(lines).toEqual([line(1)]);
  clock.ms += 1;
  await refuse();
  expect(lines).toEqual([line(1), line(4)]);
  release();
  (await waiting)();
});
