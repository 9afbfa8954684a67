import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { inSession } from "./database.ts";
import { type RunningProcess, runningProcesses } from "./processes.ts";

/** Id of the main process of the PostgreSQL server on this machine. */
export function postgresServer(url: string): Promise<number> {
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return runningProcesses().find(({ pid }) => pid === rows[0]?.pid)?.parent ?? 0;
  });
}

/** A PostgreSQL server with all its sessions. */
export function postgresProcesses(server: number): RunningProcess[] {
  return runningProcesses().filter(({ pid, parent }) => pid === server || parent === server);
}

/** Processor time in milliseconds of a PostgreSQL server with all its sessions. */
export function postgresMs(server: number): number {
  return postgresProcesses(server).reduce((sum, { ownMs, endedChildrenMs }) => sum + ownMs + endedChildrenMs, 0);
}

/** Processor times in milliseconds of the children of this process whose command line contains a text, by process id. */
export function childrenMs(command: string): Map<number, number> {
  const children = runningProcesses().filter((one) => one.parent === process.pid && one.command.includes(command));
  return new Map(children.map(({ pid, ownMs }) => [pid, ownMs]));
}

/** The largest resident set that a process has had, in bytes; 0 on a system other than Linux. */
export function peakMemoryBytes(pid: number): number {
  if (process.platform !== "linux") return 0;
  const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Time in milliseconds for which the cores of this machine have had nothing to do, summed over all cores. */
export function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}
