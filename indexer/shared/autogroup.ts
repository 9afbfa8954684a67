import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The highest niceness is the lowest priority. */
export const MAX_NICENESS = 19;
/** Without privileges, all processes of a machine together may change one group in a tenth of a second. */
const PAUSE_MS = 110;
/** Other processes may change groups at the same time. */
const ATTEMPTS = 50;

/**
 * Adds `steps` to the niceness of the autogroup of a process. Outside of CPU control groups, Linux may divide the time of a core between autogroups first: each
 * session (`setsid`) is one, and the niceness of processes counts only within their session (https://man7.org/linux/man-pages/man7/sched.7.html, "The
 * autogroup feature"). Does nothing if the process does not lead its session, because the group then contains processes of others, or if the system has no
 * autogroups. Resolves when the group is changed.
 */
export async function lowerAutogroup(pid: number, steps: number): Promise<void> {
  const current = nicenessOfOwnAutogroup(pid);
  if (current === null) return;
  const niceness = Math.min(MAX_NICENESS, current + steps);
  for (let attempt = 1; !wasWritten(pid, niceness); attempt++) {
    if (attempt === ATTEMPTS) throw new Error(`Linux refused to change its autogroup ${ATTEMPTS} times`);
    await sleep(PAUSE_MS, null, { ref: false });
  }
}

/** The niceness of the autogroup of a process; null if the process does not lead its session, or if there are no autogroups. */
export function nicenessOfOwnAutogroup(pid: number): number | null {
  if (process.platform !== "linux") return null;
  try {
    if (sessionOf(pid) !== pid) return null;
    const [, niceness] = / nice (-?\d+)$/m.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8")) ?? [];
    return niceness === undefined ? null : Number(niceness);
  } catch (error) {
    // The kernel was built without autogroups, or the process has ended.
    if (isOneOf(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
}

/** The id of the process that leads the session. */
function sessionOf(pid: number): number {
  // The fields after the name, which may contain spaces: state, parent, process group, session, …
  const [, , , session] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(session);
}

/** Returns false if a group was changed shortly before. */
function wasWritten(pid: number, niceness: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
    return true;
  } catch (error) {
    if (isOneOf(error, "EAGAIN")) return false;
    if (isOneOf(error, "ENOENT", "ESRCH")) return true;
    throw error;
  }
}

const isOneOf = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");
