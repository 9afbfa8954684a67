import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuControlGroups } from "./control-groups.ts";

/**
 * The number of cores whose time this process may use by the CPU limit of its container or service, which may be a fraction; infinite if it has no
 * limit or none is known. Node.js 20 does not know such limits (https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files). `root` is the
 * root of the file system.
 */
export function cpuLimit(root = "/"): number {
  for (const directory of directories(root)) {
    const limit = limitOfVersion2(directory) ?? limitOfVersion1(directory);
    if (limit !== undefined) return limit;
  }
  return Number.POSITIVE_INFINITY;
}

/** The folders that may have the files of the control group of this process. A container may see its own group as the root of the mount. */
function directories(root: string): string[] {
  try {
    return cpuControlGroups(root).flatMap(({ directory, mount }) => [directory, mount]);
  } catch {
    return [];
  }
}

/** The file has the time in each period, or `max`, and the period. */
function limitOfVersion2(directory: string): number | undefined {
  const content = contentOf(join(directory, "cpu.max"));
  if (content === undefined) return undefined;
  const [quota, period] = content.split(" ");
  return coresOf(quota, period);
}

/** The time in each period is negative if there is no limit. */
function limitOfVersion1(directory: string): number | undefined {
  const quota = contentOf(join(directory, "cpu.cfs_quota_us"));
  const period = contentOf(join(directory, "cpu.cfs_period_us"));
  return quota === undefined || period === undefined ? undefined : coresOf(quota, period);
}

/** The processor time of a period divided by the length of the period. Infinite if the time is no positive number. */
function coresOf(quota: string | undefined, period: string | undefined): number {
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
