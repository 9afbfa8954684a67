import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { createLogLines } from "../../test/support/log-lines.ts";
import { lowerPriority } from "./priority.ts";

/** Larger than the process ids of any system. */
const NO_PID = 2 ** 30;

/** Processes that do nothing until they are killed. */
function startIdle(detached: boolean) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"], { detached, stdio: "ignore" });
  return Object.assign(child, { [Symbol.dispose]: () => void child.kill("SIGKILL") });
}

const groupOf = (pid: number | "self") => readFileSync(`/proc/${pid}/autogroup`, "utf8").trim();
const itWithGroups = existsSync("/proc/self/autogroup") ? it : it.skip;

describe("lowering the priority of processes", () => {
  it("logs one warning if the system refuses it for several processes", async () => {
    const { logger, lines } = createLogLines("trace");
    for (const pid of [NO_PID, NO_PID + 1, NO_PID + 2])
      await lowerPriority({ pid, steps: 5, name: "a session of PostgreSQL" }, logger);
    expect(lines).toEqual([
      {
        level: 40,
        pid: NO_PID,
        msg: expect.stringMatching(/^the priority of a session of PostgreSQL cannot be lowered: .*ESRCH/),
      },
    ]);
  });

  itWithGroups(
    "lowers that of the session if the process has begun one, and never that of another session",
    async () => {
      const { logger, lines } = createLogLines("trace");
      using leader = startIdle(true);
      using member = startIdle(false);
      const own = groupOf("self");
      for (const { pid = 0 } of [leader, member]) await lowerPriority({ pid, steps: 3, name: "a process" }, logger);
      expect(groupOf(leader.pid as number)).toMatch(/ nice 3$/);
      expect(groupOf(member.pid as number)).toBe(own);
      expect([leader, member].map(({ pid }) => getPriority(pid))).toEqual([3, 3].map((steps) => getPriority() + steps));
      expect(lines).toEqual([]);
    },
  );

  it("does nothing if the niceness is 0", async () => {
    const { logger, lines } = createLogLines("trace");
    await lowerPriority({ pid: NO_PID, steps: 0, name: "a session of PostgreSQL" }, logger);
    expect(lines).toEqual([]);
  });
});
