import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cpuLimit } from "./cpu-limit.ts";

/** The limit of a process in a file system with these files. */
function limitWith(files: Readonly<Record<string, string>>): number {
  const root = mkdtempSync(join(tmpdir(), "moraine-cpu-limit-"));
  try {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `${content}\n`);
    }
    return cpuLimit(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("the CPU limit of a process", () => {
  it("is that of its control group of version 2", () => {
    expect(limitWith({ "proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/cpu.max": "150000 100000" })).toBe(1.5);
  });

  it("is that of its control group of version 1", () => {
    const groups = "8:pids:/c\n1:cpu,cpuacct:/a/b\n0::/d";
    const directory = "sys/fs/cgroup/cpu/a/b";
    const files = { [`${directory}/cpu.cfs_quota_us`]: "400000", [`${directory}/cpu.cfs_period_us`]: "100000" };
    expect(limitWith({ "proc/self/cgroup": groups, ...files })).toBe(4);
  });

  it("is that of the root of the mount in a container, which sees another path of its group", () => {
    expect(limitWith({ "proc/self/cgroup": "0::/docker/a", "sys/fs/cgroup/cpu.max": "200000 100000" })).toBe(2);
  });

  it.each([
    ["its group has none", { "proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000" }],
    [
      "its group of version 1 has none",
      {
        "proc/self/cgroup": "1:cpu:/",
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
      },
    ],
    ["it is in the root group, which has no such file", { "proc/self/cgroup": "0::/" }],
    ["the system has no control groups", {}],
  ])("is infinite if %s", (_name, files) => {
    expect(limitWith(files)).toBe(Number.POSITIVE_INFINITY);
  });
});
