import { readFileSync } from "node:fs";
import { errorCode } from "../errors/errors.ts";

/** Id and start time of a process: a later process may have the same id. */
export function processName(pid: number): string {
  return `${pid} ${startTimeOf(pid)}`;
}

/** The id of the process whose `processName` a text begins with; null if it does not run. */
export function runningProcess(text: string): number | null {
  const [pidText, startTime] = text.split(" ");
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    if (errorCode(error) !== "EPERM") return null;
  }
  return processName(pid) === `${pidText} ${startTime}` ? pid : null;
}

/** Time since the start of the system, in clock ticks; "unknown" where there is no `/proc`. */
function startTimeOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[19] ?? "unknown";
  } catch {
    return "unknown";
  }
}
