import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../core/errors.ts";

/** Where Linux shows the control groups. */
const MOUNT = "/sys/fs/cgroup";
const MEMBERS = "cgroup.procs";

/** The CPU control group in which the bench runs. Disposing it removes a group that was created for the bench. */
export interface ControlGroup extends Disposable {
  /** A sentence for the output. */
  readonly description: string;
}

/** The group of this process. */
interface OwnGroup {
  readonly directory: string;
  /** True if it divides the time of the cores: then Linux compares the niceness of all processes in it. */
  readonly hasCpu: boolean;
  readonly isRoot: boolean;
}

/**
 * Moves this process, and those that it starts later, into a CPU control group of its own, if it is in none and may create one. Containers have
 * such a group, and services of systemd that have for example `CPUWeight`. Outside of such groups, Linux may divide the cores between sessions of processes
 * before it looks at their niceness, and each PostgreSQL connection has a session of its own.
 */
export function enterControlGroup(): ControlGroup {
  try {
    const own = ownGroup();
    if (own.hasCpu) return withoutGroup("The bench runs in the CPU control group that it was started in.");
    if (!own.isRoot) throw new Error(`${own.directory} is not the root group`);
    return createdIn(own.directory);
  } catch (error) {
    return withoutGroup(`The bench runs in no CPU control group, because it cannot create one: ${messageOf(error)}`);
  }
}

function withoutGroup(description: string): ControlGroup {
  return { description, [Symbol.dispose]() {} };
}

function ownGroup(): OwnGroup {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const groups = lines.map((line) => line.split(":"));
  // Version 1 of control groups has a hierarchy for each controller.
  const [, , cpuPath] = groups.find(([, controllers = ""]) => controllers.split(",").includes("cpu")) ?? [];
  if (cpuPath !== undefined)
    return { directory: join(MOUNT, "cpu", cpuPath), hasCpu: cpuPath !== "/", isRoot: cpuPath === "/" };
  // Version 2 has one for all. A container may see its own group as "/".
  const [, , path = "/"] = groups.find(([id]) => id === "0") ?? [];
  const directory = join(MOUNT, path);
  return { directory, hasCpu: existsSync(join(directory, "cpu.weight")), isRoot: path === "/" };
}

function createdIn(parent: string): ControlGroup {
  const group = join(parent, `moraine-bench-${process.pid}`);
  mkdirSync(group);
  try {
    const hasCpu = existsSync(join(group, "cpu.weight")) || existsSync(join(group, "cpu.shares"));
    if (!hasCpu) throw new Error(`the CPU controller of ${parent} is off`);
    writeFileSync(join(group, MEMBERS), String(process.pid));
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
  return {
    description: "The bench runs in a CPU control group of its own, as a container does.",
    [Symbol.dispose]() {
      try {
        // After an interrupt, processes that this one has started may still be ending.
        for (const pid of readFileSync(join(group, MEMBERS), "utf8").trim().split("\n"))
          writeFileSync(join(parent, MEMBERS), pid);
        rmdirSync(group);
      } catch (error) {
        console.error(`The control group ${group} cannot be removed: ${messageOf(error)}`);
      }
    },
  };
}
