import { readdirSync, readFileSync } from "node:fs";

/** Ids of the processes that run exports for a process. */
export function workerPids(parent: number | undefined): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => isWorker(pid, parent)).map(Number);
}

function isWorker(pid: string, parent: number | undefined): boolean {
  try {
    const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return (
      Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("exporter/process/worker.ts")
    );
  } catch {
    // It has ended.
    return false;
  }
}
