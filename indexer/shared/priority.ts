import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";

/** Highest niceness, which is the lowest priority. */
const MAX_NICENESS = 19;

/** The loggers that have a line about a failure. */
const informed = new WeakSet<Logger>();

/** A change of the priority of a process of this machine. */
interface PriorityChange {
  readonly pid: number;
  /** Is added to its niceness. 0: its priority stays as it is. */
  readonly steps: number;
  /** The process as log lines name it. */
  readonly name: string;
}

/**
 * Lowers the priority of a process, with all threads that it has now. Threads that it creates later inherit it. Without privileges of
 * the system, this cannot be undone. If it fails, the priority stays as it is, and the reason is logged, but only once by each
 * logger: each session of PostgreSQL would fail for the same reason.
 *
 * Linux may divide the time of a core between the sessions of processes first (autogroup), and then niceness compares only the processes of
 * one session. So if the process is the leader of its session, the priority of the session is lowered too. Each session of PostgreSQL is a
 * process with a session of its own.
 */
export async function lowerPriority({ pid, steps, name }: PriorityChange, logger: Logger): Promise<void> {
  if (steps === 0) return;
  try {
    const niceness = lowered(getPriority(pid), steps);
    for (const thread of threadsOf(pid)) setPriority(thread, niceness);
    if (leadsGroup(pid)) await lowerGroup(pid, steps);
  } catch (error) {
    if (!informed.has(logger)) logger.warn({ pid }, `the priority of ${name} cannot be lowered: ${messageOf(error)}`);
    informed.add(logger);
  }
}

const lowered = (niceness: number, steps: number): number => Math.min(MAX_NICENESS, niceness + steps);

/** On Linux, each thread has a niceness of its own. */
function threadsOf(pid: number): number[] {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}

/** The file with the niceness of the group of a process. Linux has it unless it was built without such groups. */
const groupFile = (pid: number): string => `/proc/${pid}/autogroup`;

/** True if the process has begun a session, which Linux may schedule as a group. */
function leadsGroup(pid: number): boolean {
  if (process.platform !== "linux" || !existsSync(groupFile(pid))) return false;
  // The name of the program, in parentheses, may contain anything. After it: state, parent, process group, session.
  const [, text = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  return Number(text.split(" ")[3]) === pid;
}

/** Of all changes of users without privileges, Linux accepts one in 100 ms. */
const GROUP_RETRY_MS = 100;
const GROUP_ATTEMPTS = 50;

async function lowerGroup(pid: number, steps: number): Promise<void> {
  const [, niceness] = / nice (-?\d+)/.exec(readFileSync(groupFile(pid), "utf8")) ?? [];
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(groupFile(pid), String(lowered(Number(niceness ?? 0), steps)));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || attempt === GROUP_ATTEMPTS) throw error;
    }
    await sleep(GROUP_RETRY_MS * (1 + Math.random()), null, { ref: false });
  }
}
