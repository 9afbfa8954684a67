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

/**
 * Moves this process, and those that it starts later, into a CPU control group of its own, if it is in none. Services of systemd and
 * containers have one. Outside of such groups, Linux may divide the cores between sessions of processes before it looks at their niceness, and each
 * PostgreSQL connection has a session of its own.
 */
export function enterControlGroup(): ControlGroup {
  try {
    const parent = parentGroup();
    return parent === null
      ? { description: "The bench runs in the CPU control group that it was started in.", [Symbol.dispose]() {} }
      : createdIn(parent);
  } catch (error) {
    const description = `The bench runs in no CPU control group, because it cannot create one: ${messageOf(error)}`;
    return { description, [Symbol.dispose]() {} };
  }
}

/** The directory of the root group, if this process is in that; else null. */
function parentGroup(): string | null {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const groups = lines.map((line) => line.split(":"));
  // Version 1 has a hierarchy for each controller, version 2 one for all.
  const first = groups.find(([, controllers = ""]) => controllers.split(",").includes("cpu"));
  const [, , path] = first ?? groups.find(([id]) => id === "0") ?? [];
  if (path !== "/") return null;
  return first ? join(MOUNT, "cpu") : MOUNT;
}

function createdIn(parent: string): ControlGroup {
  const group = join(parent, `moraine-bench-${process.pid}`);
  mkdirSync(group);
  // In version 2, a group without this file has no CPU controller.
  const hasController = existsSync(join(group, "cpu.weight")) || existsSync(join(group, "cpu.shares"));
  if (!hasController) {
    rmdirSync(group);
    throw new Error(`the CPU controller of ${parent} is off`);
  }
  writeFileSync(join(group, MEMBERS), String(process.pid));
  return {
    description: "The bench runs in a CPU control group of its own, as a service of systemd or a container does.",
    [Symbol.dispose]() {
      writeFileSync(join(parent, MEMBERS), String(process.pid));
      rmdirSync(group);
    },
  };
}
