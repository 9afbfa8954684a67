import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors/errors.ts";
import { cpuControlGroups } from "../../indexer/process/control-groups.ts";

/** The files of a group with the CPU controller, of version 1 and 2. */
const SHARES = "cpu.shares";
const WEIGHT = "cpu.weight";
const MEMBERS = "cgroup.procs";
const PREFIX = "moraine-bench-";
/** Processes of a group may be ending, and others may just have started. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Number of groups that this process has created. */
let created = 0;

/** In which CPU control groups a case of the bench can run its processes. */
export interface Grouping {
  /** True if it can run them in a group, by `enterControlGroup`, and also in none. */
  readonly canChoose: boolean;
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
 * Finds out whether a case of the bench can run its processes in a CPU control group: creates one and removes it again. Containers have such a group, and services
 * of systemd that have for example `CPUWeight`. Outside of such groups, Linux may divide the cores between sessions of processes before it looks at their
 * niceness, and each PostgreSQL connection has a session of its own.
 */
export async function possibleGrouping(): Promise<Grouping> {
  try {
    if (ownGroup().hasCpu) {
      const description = "All processes are in the CPU control group in which the bench was started.";
      return { canChoose: false, description };
    }
    await enterControlGroup([])[Symbol.asyncDispose]();
    const description =
      "Each way is measured with all processes in a new CPU control group, as those of a container are, and with all of them in none.";
    return { canChoose: true, description };
  } catch (error) {
    const description = `The processes are in no CPU control group, because the bench cannot create one: ${messageOf(error)}`;
    return { canChoose: false, description };
  }
}

/**
 * Moves this process, those that it starts later, and others into a new CPU control group. Disposing it moves all its processes to the former group of this
 * one, and removes it.
 */
export function enterControlGroup(others: readonly number[]): AsyncDisposable {
  const { directory, isRoot } = ownGroup();
  if (!isRoot) throw new Error(`${directory} is not the root group`);
  return createdIn(directory, others);
}

function ownGroup(): OwnGroup {
  const [group] = cpuControlGroups();
  if (!group) throw new Error("the process is in no control group");
  const { path, directory } = group;
  const isRoot = path === "/";
  // The root group of version 1 has the file too.
  const hasShares = !isRoot && existsSync(join(directory, SHARES));
  return { directory, hasCpu: hasShares || existsSync(join(directory, WEIGHT)), isRoot };
}

function createdIn(parent: string, others: readonly number[]): AsyncDisposable {
  removeLeft(parent);
  const group = join(parent, `${PREFIX}${process.pid}-${++created}`);
  mkdirSync(group);
  try {
    const hasCpu = existsSync(join(group, WEIGHT)) || existsSync(join(group, SHARES));
    if (!hasCpu) throw new Error(`the CPU controller of ${parent} is off`);
    writeFileSync(join(group, MEMBERS), String(process.pid));
    for (const pid of others) move(pid, group);
  } catch (error) {
    moveAll(group, parent);
    rmdirSync(group);
    throw error;
  }
  return { [Symbol.asyncDispose]: () => remove(group, parent) };
}

/** Does nothing if the process has ended. */
function move(pid: number, group: string): void {
  try {
    writeFileSync(join(group, MEMBERS), String(pid));
  } catch {}
}

/** Removes the groups of runs that were interrupted. Those that still have processes stay. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent))
    if (name.startsWith(PREFIX))
      try {
        rmdirSync(join(parent, name));
      } catch {}
}

/** Moves the processes of a group to its parent, and removes the group. */
async function remove(group: string, parent: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    moveAll(group, parent);
    try {
      rmdirSync(group);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

function moveAll(group: string, parent: string): void {
  const pids = readFileSync(join(group, MEMBERS), "utf8").split("\n");
  for (const pid of pids) if (pid !== "") move(Number(pid), parent);
}
