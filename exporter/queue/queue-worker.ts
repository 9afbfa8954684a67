import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { runTaskList, type WorkerPool } from "graphile-worker";
import type pg from "pg";
import { connectionSettings } from "../../core/config/connection-settings.ts";
import { EXPORT_TASK, type ExportJob } from "../../core/database/operations.ts";
import { queueSchemaOf } from "../../core/database/postgres/schema-names.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createOutageLog, type OutageLog } from "../../core/observability/outage-log.ts";
import { JobStopped } from "../job/abort.ts";
import type { ExporterTimings } from "../timings.ts";
import { runTask, type StopSignals, type TaskDeps } from "./export-task.ts";
import { createQueueLogger } from "./queue-logger.ts";

const RESTART_MS = 500;
/**
 * Events after which a worker takes no further job: it could not write the end of a job, or could not look for one. If the
 * database was not available at the first query, graphile-worker repeats that error forever.
 */
const FAILURES = ["worker:fatalError", "worker:getJob:error"];
/** Events after a look for a job that the database answered. */
const LOOKED_FOR_JOBS = ["worker:getJob:empty", "job:start"];
/** Time that the workers have to end after their jobs have ended. */
const STOP_MARGIN_MS = 2_000;

export interface QueueWorkerOptions extends TaskDeps {
  readonly pool: pg.Pool;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly timings: ExporterTimings;
}

/** Runs jobs of the queue. Disposing it gives the running jobs back and waits for that. */
export function startQueueWorker(options: QueueWorkerOptions): AsyncDisposable {
  const end = new AbortController();
  const running = runUntil(options, end.signal);
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}

/** The queue's worker is started again after a failure of the database, until `end`. */
async function runUntil(options: QueueWorkerOptions, end: AbortSignal): Promise<void> {
  const outage = createOutageLog({ logger: options.logger, subject: "the worker of the job queue" });
  while (!end.aborted) {
    await runOnce(options, outage, end).catch((error: unknown) => {
      if (!end.aborted) outage.failedBy(error);
    });
    await sleep(RESTART_MS, null, { signal: end }).catch(() => {});
  }
}

/** Rejects with the failure after which the workers take no further job. Resolves when they have ended because `end` was aborted. */
async function runOnce(options: QueueWorkerOptions, outage: OutageLog, end: AbortSignal): Promise<void> {
  const { pool, placement, concurrency, logger, timings } = options;
  const schema = queueSchemaOf(connectionSettings(placement.main).schema);
  await using stops = createStops(timings.stopGraceMs);
  const events = new EventEmitter();
  for (const event of LOOKED_FOR_JOBS) events.on(event, outage.succeeded);
  const failed = Promise.race(FAILURES.map((event) => once(events, event, { signal: end })));
  const workers = runTaskList(
    { concurrency, schema, events, logger: createQueueLogger(logger, outage), noHandleSignals: true },
    { [EXPORT_TASK]: (payload, { job }) => runTask(options, payload as ExportJob, job, stops) },
    pool,
  );
  try {
    const [{ error }] = await Promise.race([failed, workers.promise.then(() => [{ error: null }])]);
    if (error) throw error;
  } finally {
    stops.request();
    if (!(await stopWorkers(workers, timings.stopGraceMs + STOP_MARGIN_MS)))
      logger.warn("the worker of the job queue did not end in time: it may wait for a lost database connection");
  }
}

/** Stops the workers. Returns false if they have not ended after `limitMs`: they may wait for a lost connection. */
async function stopWorkers(workers: WorkerPool, limitMs: number): Promise<boolean> {
  const stop = async () => {
    if (!workers._shuttingDown) await workers.gracefulShutdown();
    await workers.promise;
    return true;
  };
  const timer = new AbortController();
  try {
    return await Promise.race([stop(), sleep(limitMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

interface Stops extends StopSignals, AsyncDisposable {
  request(): void;
}

/** Signals for running jobs: first to store what they have, and after `graceMs` to end at once. */
function createStops(graceMs: number): Stops {
  const stop = new AbortController();
  const stopNow = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    stop: stop.signal,
    stopNow: stopNow.signal,
    request() {
      stop.abort();
      timer = setTimeout(() => stopNow.abort(new JobStopped("the worker stops")), graceMs);
    },
    [Symbol.asyncDispose]: async () => clearTimeout(timer),
  };
}
