import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Processor time in milliseconds. */
  readonly ownMs: number;
  /** Processor time of its children that have ended, in milliseconds. */
  readonly endedChildrenMs: number;
  /** The command line, with spaces between the arguments. */
  readonly command: string;
}

/** All processes of the machine; none on a system other than Linux. */
export function runningProcesses(): RunningProcess[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [runningProcess(pid)];
    } catch {
      // It has ended.
      return [];
    }
  });
}

function runningProcess(pid: string): RunningProcess {
  // The fields after the name, which may contain spaces: state, parent, …
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const ticks = (...at: number[]) => at.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK_MS;
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  return { pid: Number(pid), parent: Number(fields[1]), ownMs: ticks(11, 12), endedChildrenMs: ticks(13, 14), command };
}
