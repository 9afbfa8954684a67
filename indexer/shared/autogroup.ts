import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../core/errors/errors.ts";

/** The highest niceness is the lowest priority. */
export const MAX_NICENESS = 19;
/** Without privileges, Linux allows only one change in a tenth of a second on the whole machine. */
const PAUSE_MS = 110;

/** A group of processes with a niceness of its own. */
interface Autogroup {
  /** Unique since the start of the machine. */
  readonly id: string;
  readonly niceness: number;
}

/**
 * Adds `steps` to the niceness of the autogroup of a process. Outside of CPU control groups, Linux may divide the time of a core between autogroups first: each
 * session (`setsid`) is one, and the niceness of processes counts only within their session (https://man7.org/linux/man-pages/man7/sched.7.html, "The
 * autogroup feature"). A new session has the niceness 0. Does nothing if the process has ended, if it does not lead its session (then the group contains processes
 * of others), or if the system has no autogroups. Resolves when nothing is left to do, and rejects if the system refuses the change for good.
 */
export async function lowerAutogroup(pid: number, steps: number, write = writeNiceness): Promise<void> {
  const first = ownAutogroup(pid);
  // After a pause, another process may have this id.
  for (let current = first; current !== null && current.id === first?.id; current = ownAutogroup(pid)) {
    try {
      write(pid, Math.min(MAX_NICENESS, current.niceness + steps));
      return;
    } catch (error) {
      if (isOneOf(error, "ENOENT", "ESRCH")) return;
      if (!isOneOf(error, "EAGAIN")) throw error;
    }
    await sleep(PAUSE_MS, null, { ref: false });
  }
}

/** The autogroup of a process; null if the process has ended or does not lead its session, or if the system has no autogroups. */
export function ownAutogroup(pid: number): Autogroup | null {
  if (process.platform !== "linux") return null;
  try {
    if (sessionOf(pid) !== pid) return null;
    const [, id = "", niceness] = /^(\S+) nice (-?\d+)$/m.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8")) ?? [];
    return niceness === undefined ? null : { id, niceness: Number(niceness) };
  } catch (error) {
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

function writeNiceness(pid: number, niceness: number): void {
  writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
}

const isOneOf = (error: unknown, ...codes: string[]): boolean => codes.includes(String(errorCode(error)));
