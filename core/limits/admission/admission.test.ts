import { testConfig } from "../../../test/support/config.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { createWork } from "../../work/work.ts";
import { createAdmission } from "./admission.ts";

it("refusals are logged at once, and then every ten seconds with their number since the last line", async () => {
  const config = testConfig({ admission: { heavyOperations: 1, waitingHeavyOperations: 1 } });
  const { logger, lines } = createLogLines("trace");
  const clock = { ms: 500_000 };
  const admission = createAdmission(config, logger, () => clock.ms);
  const release = await admission.heavy.enter(createWork("a"));
  const waiting = admission.heavy.enter(createWork("a"));
  const refuse = () => expect(admission.heavy.refuse("a")?.message).toContain("overloaded");
  const line = (refused: number) => ({
    level: 40,
    queue: "heavy",
    refused,
    msg: `the service is overloaded; requests refused since the last line of this kind: ${refused}`,
  });
  refuse();
  expect(lines).toEqual([line(1)]);
  for (const waitMs of [1, 2_000, 7_998]) {
    clock.ms += waitMs;
    refuse();
  }
  expect(lines).toEqual([line(1)]);
  clock.ms += 1;
  refuse();
  expect(lines).toEqual([line(1), line(4)]);
  release();
  (await waiting)();
});
