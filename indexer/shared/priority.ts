import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { lowerAutogroup, MAX_NICENESS } from "./autogroup.ts";

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
 * the system, this cannot be undone. If the process leads its session, the priority of the session is lowered too, soon after. If it fails, the priority
 * stays as it is, and the reason is logged, but only once by each logger: each session of PostgreSQL would fail for the same reason.
 */
export function lowerPriority({ pid, steps, name }: PriorityChange, logger: Logger): void {
  if (steps === 0) return;
  const warn = (error: unknown) => {
    if (!informed.has(logger)) logger.warn({ pid }, `the priority of ${name} cannot be lowered: ${messageOf(error)}`);
    informed.add(logger);
  };
  try {
    const niceness = Math.min(MAX_NICENESS, getPriority(pid) + steps);
    for (const thread of threadsOf(pid)) setPriority(thread, niceness);
  } catch (error) {
    warn(error);
    return;
  }
  lowerAutogroup(pid, steps).catch(warn);
}

/** On Linux, each thread has a niceness of its own. */
function threadsOf(pid: number): number[] {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}
