import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { lowerAutogroup, MAX_NICENESS } from "./autogroup.ts";

/** The loggers that have a line about a process, and about an autogroup, whose priority cannot be lowered. */
const informed = { process: new WeakSet<Logger>(), autogroup: new WeakSet<Logger>() };

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
 * the system, this cannot be undone. If the process leads its session, `lowerGroup` lowers the priority of the session too, soon after. If the system
 * refuses either, the reason is logged, but only once by each logger: each session of PostgreSQL would fail for the same reason.
 */
export function lowerPriority(
  { pid, steps, name }: PriorityChange,
  logger: Logger,
  lowerGroup: (pid: number, steps: number) => Promise<void> = lowerAutogroup,
): void {
  if (steps === 0) return;
  const warnOnce = (of: WeakSet<Logger>, whose: string, error: unknown) => {
    if (!of.has(logger)) logger.warn({ pid }, `the priority of ${whose} cannot be lowered: ${messageOf(error)}`);
    of.add(logger);
  };
  try {
    const niceness = Math.min(MAX_NICENESS, getPriority(pid) + steps);
    for (const thread of threadsOf(pid)) setPriority(thread, niceness);
  } catch (error) {
    warnOnce(informed.process, name, error);
    return;
  }
  lowerGroup(pid, steps).catch((error) => warnOnce(informed.autogroup, `the autogroup of ${name}`, error));
}

/** On Linux, each thread has a niceness of its own. */
function threadsOf(pid: number): number[] {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}
