import type { Job } from "graphile-worker";
import type pg from "pg";
import type { ExportJob } from "../../core/database/operations.ts";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { type JobDeps, type Outcome, runJob } from "../job/run-job.ts";
import { JobReturned } from "./queue-logger.ts";
import { type RetrySchedule, returnJob } from "./return-job.ts";
import type { RunningJobs } from "./running-jobs.ts";

export interface TaskDeps extends JobDeps {
  readonly pool: pg.Pool;
  readonly jobs: RunningJobs;
}

export interface StopSignals {
  readonly stop: AbortSignal;
  readonly stopNow: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;

/** Runs a job of the queue. Throws `JobReturned` if the job has to run again; the queue deletes it otherwise. */
export async function runTask(deps: TaskDeps, { operationId }: ExportJob, job: Job, stops: StopSignals): Promise<void> {
  const { signal: cancel, end } = deps.jobs.add(operationId);
  const isLast = job.attempts >= job.max_attempts;
  const outcome = await runJob(deps, operationId, isLast, { cancel, ...stops });
  end();
  if (outcome.kind === "ended") return;
  const schedule = scheduleOf(outcome, job, deps.timings.maxRetryMs);
  report(deps.logger.child({ operationId }), outcome, schedule);
  // If the queue cannot be reached, the job stays locked, and is found as the job of a dead worker.
  await returnJob(deps.pool, job, schedule).catch((error: unknown) => {
    deps.logger.warn({ err: error, operationId }, `an export could not be returned to the queue: ${messageOf(error)}`);
  });
  throw new JobReturned(outcome.kind);
}

function scheduleOf({ kind }: Outcome, { attempts }: Job, maxRetryMs: number): RetrySchedule {
  if (kind === "stopped") return { delayMs: 0, attempts: attempts - 1 };
  if (kind === "waiting") return { delayMs: maxRetryMs, attempts: attempts - 1 };
  if (kind === "taken") return { delayMs: FIRST_RETRY_MS, attempts: attempts - 1 };
  return { delayMs: Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), maxRetryMs), attempts };
}

function report(logger: Logger, outcome: Outcome, { delayMs, attempts }: RetrySchedule): void {
  if (outcome.kind === "failed" || outcome.kind === "waiting")
    logger.warn(
      { err: outcome.error, attempts, delayMs },
      `an attempt to run an export failed: ${messageOf(outcome.error)}`,
    );
  else
    logger.info(
      outcome.kind === "stopped"
        ? "the export is returned to the queue because the queue worker is stopping or restarting"
        : "another worker runs this export",
    );
}
