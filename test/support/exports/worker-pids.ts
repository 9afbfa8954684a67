import { readdirSync, readFileSync } from "node:fs";

/** Ids of the processes that run exports for a process. */
export const workerPids = (parent: number | undefined): number[] => childPids(parent, "exporter/process/worker.ts");

/** Ids of the children of a process whose command line names this script. */
export function childPids(parent: number | undefined, script: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => isChild(pid, parent, script)).map(Number);
}

function isChild(pid: string, parent: number | undefined, script: string): boolean {
  try {
    const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(script);
  } catch {
    // It has ended.
    return false;
  }
}
