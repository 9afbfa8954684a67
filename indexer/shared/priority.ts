import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";

/** The lowest priority that systems know. */
const MAX_NICENESS = 19;

/** A process of this machine. */
interface Lowered {
  readonly pid: number;
  /** Is added to its niceness. 0: its priority stays as it is. */
  readonly steps: number;
  /** The process as log lines name it. */
  readonly name: string;
}

/**
 * Lowers the priority of a process, with all threads that it has now. Threads that it creates later inherit it. Without privileges of
 * the system, this cannot be undone. If it fails, the priority stays as it is, and the reason is logged.
 */
export function lowerPriority({ pid, steps, name }: Lowered, logger: Logger): void {
  if (steps === 0) return;
  try {
    const niceness = Math.min(MAX_NICENESS, getPriority(pid) + steps);
    for (const thread of threadsOf(pid)) setPriority(thread, niceness);
  } catch (error) {
    logger.warn({ pid, err: error }, `the priority of ${name} cannot be lowered: ${messageOf(error)}`);
  }
}

/** On Linux, each thread has a niceness of its own. */
function threadsOf(pid: number): number[] {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}
