import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux that may divide or limit the processor time of this process. */
export interface ControlGroup {
  /** Its path within the mount. A container may see the path of the host. */
  readonly path: string;
  /** The folder of the root group. */
  readonly mount: string;
  /** The folder of the group itself. */
  readonly directory: string;
}

/**
 * The control groups of this process that may have the CPU controller: first that of version 1, which has a hierarchy for each controller, then that of
 * version 2, which has one for all (https://docs.kernel.org/admin-guide/cgroup-v2.html). Throws if the system has no control groups. `root` is the root
 * of the file system.
 */
export function cpuControlGroups(root = "/"): ControlGroup[] {
  const lines = readFileSync(join(root, "proc/self/cgroup"), "utf8").trim().split("\n");
  const groups = lines.map((line) => line.split(":"));
  const ofVersion1 = groups.find(([, controllers = ""]) => controllers.split(",").includes("cpu"));
  const ofVersion2 = groups.find(([id]) => id === "0");
  return [
    ...(ofVersion1 ? [groupAt(join(root, "sys/fs/cgroup/cpu"), ofVersion1[2])] : []),
    ...(ofVersion2 ? [groupAt(join(root, "sys/fs/cgroup"), ofVersion2[2])] : []),
  ];
}

function groupAt(mount: string, path = "/"): ControlGroup {
  return { path, mount, directory: join(mount, path) };
}
