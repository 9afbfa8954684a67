import { Failure } from "../../core/errors/errors.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { createFailureLog } from "./failure-log.ts";

it("of the requests that fail for the same reason, one in ten seconds is logged, with the number of the others", () => {
  let nowMs = 5_000;
  const { logger, lines } = createLogLines("info");
  const failures = createFailureLog(logger, () => nowMs);
  const lostServer = (address: string) =>
    new Failure("UNAVAILABLE", "the database cannot be reached", new Error(address));
  for (let i = 0; i < 100; i++) {
    failures.failed(lostServer("10.0.0.6"), { requestId: `request ${i}` });
    nowMs += 150;
  }
  failures.failed(lostServer("10.0.0.7"), { requestId: "another" });
  expect(lines).toMatchObject([
    { level: 40, requestId: "request 0", msg: "a request failed because a part of the service is not available" },
    { level: 40, requestId: "request 67", unloggedRequests: 66 },
    { level: 40, requestId: "another", cause: "10.0.0.7" },
  ]);
  expect(lines[0]).not.toHaveProperty("unloggedRequests");
});
