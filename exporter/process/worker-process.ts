import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { Config } from "../../core/config/config-schema.ts";
import { includeMetricsOf } from "../../core/observability/forked-metrics.ts";
import { type EndableProcess, forkProcess, ONE_THREAD_GC } from "../../core/processes/child-process.ts";
import type { ExporterTimings } from "../timings.ts";

/** What a worker process needs. It is sent to the process, because other users can read command lines. */
export interface WorkerInput {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logLevel: string;
  readonly timings: ExporterTimings;
}

/** A process that runs export jobs. Before it ends, it gives its jobs back. */
export interface WorkerProcess extends EndableProcess {
  readonly pid: number | undefined;
}

/** A process that takes longer to end is killed. Before it ends, jobs have `ExporterTimings.stopGraceMs` to store their last part. */
export const END_TIMEOUT_MS = 6_000;

/** Lower priority than the API. */
const NICENESS = 10;
/**
 * Limits of the heap in MB. Without them, it grows by 200 MB before it is collected; with them, by 50 MB, at the same speed.
 * A job holds about 10 MB at a time.
 */
const SEMI_SPACE = 4;
const OLD_SPACE = 112;
const OLD_SPACE_PER_JOB = 24;
const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Starts the process and sends its input. */
export function forkWorker(input: WorkerInput): WorkerProcess {
  const nodeOptions = memoryLimits(input.config.exports.concurrency);
  const { child, ended, send, end } = forkProcess({ script: SCRIPT, nodeOptions, endTimeoutMs: END_TIMEOUT_MS });
  // The priority is set before the process creates threads, because they inherit it.
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  send(input);
  includeMetricsOf(child);
  return { pid: child.pid, ended, end };
}

/**
 * V8 collects garbage about 150 times a second in such a small heap. In one thread, exports are also faster (41,700 rows a second instead of 35,700 on
 * two cores).
 */
function memoryLimits(jobs: number): string[] {
  const oldSpace = OLD_SPACE + jobs * OLD_SPACE_PER_JOB;
  return [ONE_THREAD_GC, `--max-semi-space-size=${SEMI_SPACE}`, `--max-old-space-size=${oldSpace}`];
}
