import { availableParallelism, totalmem } from "node:os";
import { cpuLimit } from "./cpu-limit.ts";

/** A chain that catches up keeps about one core busy with the indexer and most of another one with PostgreSQL. */
export const CORES_PER_PROCESS = 2;
/** A process of the indexer has 130 to 400 MB, beside PostgreSQL and the API. */
const MEMORY_BYTES_PER_PROCESS = 4 * 2 ** 30;

/** What limits the number of processes. */
export interface Machine {
  /** May be a fraction. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/** This machine, or the part of it that the container of this process may use. */
export function thisMachine(): Machine {
  // 0 if no limit is known.
  const constrained = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  return { cores: Math.min(availableParallelism(), cpuLimit()), memoryBytes: Math.min(totalmem(), constrained) };
}

/** Number of indexer processes if the settings do not say it: 1 on a machine with fewer than four cores or less than 8 GB. */
export function defaultProcesses({ cores, memoryBytes }: Machine): number {
  return Math.max(1, Math.floor(Math.min(cores / CORES_PER_PROCESS, memoryBytes / MEMORY_BYTES_PER_PROCESS)));
}
