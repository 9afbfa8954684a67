import { createLogLines } from "../../test/support/log-lines.ts";
import { lowerPriority } from "./priority.ts";

/** Larger than the process ids of any system. */
const NO_PID = 2 ** 30;

describe("lowering the priority of processes", () => {
  it("logs one warning if the system refuses it for several processes", () => {
    const { logger, lines } = createLogLines("trace");
    for (const pid of [NO_PID, NO_PID + 1, NO_PID + 2])
      lowerPriority({ pid, steps: 5, name: "a session of PostgreSQL" }, logger);
    expect(lines).toEqual([
      {
        level: 40,
        pid: NO_PID,
        msg: expect.stringMatching(/^the priority of a session of PostgreSQL cannot be lowered: .*ESRCH/),
      },
    ]);
  });

  it("does nothing if the niceness is 0", () => {
    const { logger, lines } = createLogLines("trace");
    lowerPriority({ pid: NO_PID, steps: 0, name: "a session of PostgreSQL" }, logger);
    expect(lines).toEqual([]);
  });
});
