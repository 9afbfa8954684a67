import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { HAS_AUTOGROUPS, OWN_AUTOGROUP } from "../../test/support/autogroups.ts";
import { lowerAutogroup, ownAutogroup } from "./autogroup.ts";

const describeWithAutogroups = HAS_AUTOGROUPS ? describe : describe.skip;

interface Started extends Disposable {
  readonly pid: number;
}

/** A process that does nothing. Disposing it ends it. */
function startProcess({ leadsSession }: { readonly leadsSession: boolean }): Started {
  const child = spawn("sleep", ["600"], { detached: leadsSession, stdio: "ignore" });
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill() };
}

const nicenessOf = ({ pid }: Started) => ownAutogroup(pid)?.niceness;

const failure = (code: string) => Object.assign(new Error(code), { code });

/** Fails with the codes, one after the other, and then succeeds. */
function failingWrite(...codes: string[]) {
  const written: number[] = [];
  const write = (_pid: number, niceness: number) => {
    const code = codes.shift();
    if (code !== undefined) throw failure(code);
    written.push(niceness);
  };
  return { write, written, left: codes };
}

describeWithAutogroups("the autogroup of a process that leads its session", () => {
  it("gets a niceness that is higher by the steps, and at most 19", async () => {
    using one = startProcess({ leadsSession: true });
    expect(nicenessOf(one)).toBe(0);
    await lowerAutogroup(one.pid, 3);
    expect(nicenessOf(one)).toBe(3);
    await lowerAutogroup(one.pid, 17);
    expect(nicenessOf(one)).toBe(19);
  });

  it("gets it also if those of several processes are changed at the same time", async () => {
    using one = startProcess({ leadsSession: true });
    using other = startProcess({ leadsSession: true });
    await Promise.all([lowerAutogroup(one.pid, 4), lowerAutogroup(other.pid, 5)]);
    expect([nicenessOf(one), nicenessOf(other)]).toEqual([4, 5]);
  });

  it("is changed again until Linux no longer says that another change was made shortly before", async () => {
    using one = startProcess({ leadsSession: true });
    const { write, written } = failingWrite("EAGAIN", "EAGAIN");
    await lowerAutogroup(one.pid, 3, write);
    expect(written).toEqual([3]);
  });

  it("is not changed any more if the process ends meanwhile, and that is no error", async () => {
    using one = startProcess({ leadsSession: true });
    const { write, written, left } = failingWrite("EAGAIN", "ESRCH");
    await lowerAutogroup(one.pid, 3, write);
    expect([written, left]).toEqual([[], []]);
  });

  it("stays as it is if the system refuses the change for another reason, which is an error", async () => {
    using one = startProcess({ leadsSession: true });
    await expect(lowerAutogroup(one.pid, 3, failingWrite("EROFS").write)).rejects.toThrow("EROFS");
  });
});

describe("the autogroup of a process that has ended", () => {
  it("is not changed, and that is no error", async () => {
    const { write, written } = failingWrite();
    // Larger than the process ids of any system.
    await lowerAutogroup(2 ** 30, 3, write);
    expect(written).toEqual([]);
  });
});

describeWithAutogroups("the autogroup of a process that leads no session", () => {
  it("stays as it is, because other processes are in it", async () => {
    using one = startProcess({ leadsSession: false });
    const before = readFileSync(OWN_AUTOGROUP, "utf8");
    expect(readFileSync(`/proc/${one.pid}/autogroup`, "utf8")).toBe(before);
    expect(ownAutogroup(one.pid)).toBeNull();
    await lowerAutogroup(one.pid, 3);
    expect(readFileSync(OWN_AUTOGROUP, "utf8")).toBe(before);
  });
});
