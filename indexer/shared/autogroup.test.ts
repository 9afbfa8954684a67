import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { lowerAutogroup, nicenessOfOwnAutogroup } from "./autogroup.ts";

const FILE = "/proc/self/autogroup";
/** Only Linux has autogroups, and only if its kernel was built with them. */
const describeWithAutogroups = existsSync(FILE) ? describe : describe.skip;

/** A process that does nothing. Disposing it ends it. */
function startProcess({ leadsSession }: { readonly leadsSession: boolean }): Disposable & { readonly pid: number } {
  const child = spawn("sleep", ["600"], { detached: leadsSession, stdio: "ignore" });
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill() };
}

describeWithAutogroups("the autogroup of a process that leads its session", () => {
  it("gets a niceness that is higher by the steps, and at most 19", async () => {
    using one = startProcess({ leadsSession: true });
    expect(nicenessOfOwnAutogroup(one.pid)).toBe(0);
    await lowerAutogroup(one.pid, 3);
    expect(nicenessOfOwnAutogroup(one.pid)).toBe(3);
    await lowerAutogroup(one.pid, 17);
    expect(nicenessOfOwnAutogroup(one.pid)).toBe(19);
  });

  it("gets it also if those of several processes are changed at the same time", async () => {
    using one = startProcess({ leadsSession: true });
    using other = startProcess({ leadsSession: true });
    await Promise.all([lowerAutogroup(one.pid, 4), lowerAutogroup(other.pid, 5)]);
    expect([nicenessOfOwnAutogroup(one.pid), nicenessOfOwnAutogroup(other.pid)]).toEqual([4, 5]);
  });
});

describeWithAutogroups("the autogroup of a process that leads no session", () => {
  it("stays as it is, because other processes are in it", async () => {
    using one = startProcess({ leadsSession: false });
    const before = readFileSync(FILE, "utf8");
    expect(readFileSync(`/proc/${one.pid}/autogroup`, "utf8")).toBe(before);
    expect(nicenessOfOwnAutogroup(one.pid)).toBeNull();
    await lowerAutogroup(one.pid, 3);
    expect(readFileSync(FILE, "utf8")).toBe(before);
  });
});

describe("the autogroup of a process that has ended", () => {
  it("is not changed, and that is no error", async () => {
    // Larger than the process ids of any system.
    await lowerAutogroup(2 ** 30, 3);
  });
});
