import { spawn } from "node:child_process";
import { setImmediate } from "node:timers/promises";
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

  it("logs a warning of its own if the system refuses it for an autogroup", async () => {
    const { logger, lines } = createLogLines("trace");
    const sleeping = spawn("sleep", ["600"], { stdio: "ignore" });
    try {
      const change = { pid: sleeping.pid ?? 0, steps: 1, name: "a session of PostgreSQL" };
      lowerPriority({ ...change, pid: NO_PID }, logger);
      for (let session = 0; session < 2; session++)
        lowerPriority(change, logger, async () => {
          throw new Error("EROFS: read-only file system");
        });
      await setImmediate();
    } finally {
      sleeping.kill();
    }
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringContaining("ESRCH"),
      "the priority of the autogroup of a session of PostgreSQL cannot be lowered: EROFS: read-only file system",
    ]);
  });

  it("does nothing if the niceness is 0", () => {
    const { logger, lines } = createLogLines("trace");
    lowerPriority({ pid: NO_PID, steps: 0, name: "a session of PostgreSQL" }, logger);
    expect(lines).toEqual([]);
  });
});
