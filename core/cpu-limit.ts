import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the file system; tests pass another folder. */
const ROOT = "/";

/**
 * The number of cores whose time this process may use by the CPU limit of its container or service, which may be a fraction; infinite if it has no
 * limit or none is known. Node.js 20 does not know such limits (https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files).
 */
export function cpuLimit(root = ROOT): number {
  for (const directory of directories(root)) {
    const limit = limitOfVersion2(directory) ?? limitOfVersion1(directory);
    if (limit !== undefined) return limit;
  }
  return Number.POSITIVE_INFINITY;
}

/** The folders that may have the files of the control group of this process. A container may see its own group as the root of the mount. */
function directories(root: string): string[] {
  const groups = (contentOf(join(root, "proc/self/cgroup")) ?? "").split("\n").map((line) => line.split(":"));
  const ofVersion1 = groups.find(([, controllers = ""]) => controllers.split(",").includes("cpu"));
  const ofVersion2 = groups.find(([id]) => id === "0");
  const mounts = [
    ...(ofVersion1 ? [["sys/fs/cgroup/cpu", ofVersion1[2]]] : []),
    ...(ofVersion2 ? [["sys/fs/cgroup", ofVersion2[2]]] : []),
  ];
  return mounts.flatMap(([mount = "", path = ""]) => [join(root, mount, path), join(root, mount)]);
}

/** The file has the time in each period, or `max`, and the period, in microseconds. */
function limitOfVersion2(directory: string): number | undefined {
  const [quota, period] = contentOf(join(directory, "cpu.max"))?.split(" ") ?? [];
  if (quota === undefined) return undefined;
  return quota === "max" ? Number.POSITIVE_INFINITY : Number(quota) / Number(period);
}

/** The time in each period, in microseconds, is negative if there is no limit. */
function limitOfVersion1(directory: string): number | undefined {
  const quota = contentOf(join(directory, "cpu.cfs_quota_us"));
  const period = contentOf(join(directory, "cpu.cfs_period_us"));
  if (quota === undefined || period === undefined) return undefined;
  return Number(quota) < 0 ? Number.POSITIVE_INFINITY : Number(quota) / Number(period);
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
