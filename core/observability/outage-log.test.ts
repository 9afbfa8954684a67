import { createLogLines } from "../../test/support/log-lines.ts";
import { createOutageLog } from "./outage-log.ts";

it("an outage is logged when it begins and when it ends, with its duration and the number of failures", () => {
  let nowMs = 5_000;
  const { logger, lines } = createLogLines("info");
  const outage = createOutageLog({ logger, subject: "the queue", ids: { chainId: "7" }, nowMs: () => nowMs });
  outage.succeeded();
  expect(lines).toEqual([]);
  for (let i = 0; i < 100; i++) {
    outage.failed({ detail: `failure ${i}` }, "no answer");
    nowMs += 1_000;
  }
  expect(lines).toMatchObject([
    {
      level: 40,
      chainId: "7",
      detail: "failure 0",
      reason: "no answer",
      msg: "the queue fails and is tried again: no answer",
    },
  ]);
  outage.succeeded();
  outage.succeeded();
  expect(lines.slice(1)).toMatchObject([
    {
      level: 30,
      chainId: "7",
      seconds: 100,
      failures: 100,
      msg: "the queue works again after 100 s and 100 failures",
    },
  ]);
  outage.failed({}, "again");
  expect(lines).toHaveLength(3);
});
