import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { addExportJob } from "../../core/database/job-queue.ts";
import { EXPORT_TASK } from "../../core/database/operations.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { isLocked } from "../connections/lock.ts";
import { type CloseDeps, closeOperation } from "../job/close-operation.ts";
import { findOperation, type Reason } from "../operations.ts";
import type { ExporterTimings } from "../timings.ts";
import { announceJobs } from "./return-job.ts";

export interface SweepDeps extends CloseDeps {
  readonly pool: pg.Pool;
  readonly timings: ExporterTimings;
}

/** Workers that hold a job in the queue, but whose connection, which held the lock of the operation, is gone. */
const DEAD_WORKERS = `
  SELECT j.locked_by AS worker, coalesce(o.operation_status = 'RUNNING', false) AS "isLost"
  FROM jobs j LEFT JOIN operations o ON o.operation_id::text = j.key
  WHERE j.task_identifier = $1 AND j.locked_at < now() - $2 * interval '1 millisecond' AND NOT ${isLocked("j.key")}`;

interface DeadWorker {
  readonly worker: string;
  /** False if the operation has ended: its worker has only not deleted the job yet. */
  readonly isLost: boolean;
}

/** A worker frees the lock a moment before it returns or deletes its job. */
const SECOND_LOOK_MS = 200;

/** Gives the jobs of dead workers back to the queue. */
export async function unlockDeadWorkers({ pool, timings, logger }: SweepDeps): Promise<void> {
  const find = async (client: pg.ClientBase | pg.Pool): Promise<readonly DeadWorker[]> =>
    (await client.query<DeadWorker>(DEAD_WORKERS, [EXPORT_TASK, timings.deadAfterMs])).rows;
  const suspects = new Set((await find(pool)).map(({ worker }) => worker));
  if (suspects.size === 0) return;
  await sleep(SECOND_LOOK_MS);
  await inTransaction(pool, async (client) => {
    const dead = (await find(client)).filter(({ worker }) => suspects.has(worker));
    if (dead.length === 0) return;
    await client.query("SELECT force_unlock_workers($1)", [dead.map(({ worker }) => worker)]);
    await announceJobs(client, dead.length);
    const workers = dead.filter(({ isLost }) => isLost).map(({ worker }) => worker);
    if (workers.length > 0) logger.info({ workers }, "returned the jobs of lost workers to the queue");
  });
}

interface Orphan {
  readonly operationId: string;
  readonly isCancelled: boolean;
  /** The job whose attempts are used up; null if the operation has no job. */
  readonly jobId: string | null;
}

/** Operations with the status RUNNING that no worker runs, and that no job in the queue is going to run. */
const ORPHANS = `
  SELECT o.operation_id AS "operationId", o.is_cancelled AS "isCancelled", j.id AS "jobId"
  FROM operations o LEFT JOIN jobs j ON j.key = o.operation_id::text
  WHERE o.operation_status = 'RUNNING' AND NOT ${isLocked("o.operation_id::text")}
    AND (j.id IS NULL OR (j.locked_at IS NULL AND (o.is_cancelled OR j.attempts >= j.max_attempts)))`;

const USED_UP: Reason = {
  code: "ErrInternal",
  message: "the export was interrupted too often: the database or the workers were not available",
};

/**
 * Ends operations that are cancelled or whose attempts are used up, and adds the jobs of others that have none. Aborting the
 * signal leaves the remaining ones to the next sweep.
 */
export async function settleOrphans(deps: SweepDeps, end?: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<Orphan>(ORPHANS);
  for (const orphan of rows) if (!end?.aborted) await settle(deps, orphan);
}

async function settle(deps: SweepDeps, { operationId, isCancelled, jobId }: Orphan): Promise<void> {
  const { pool, logger } = deps;
  if (jobId === null && !isCancelled) {
    logger.warn({ operationId }, "an export has no job in the queue: a job is added");
    return addExportJob(pool, operationId);
  }
  const operation = await findOperation(pool, operationId);
  if (operation) await closeOperation(deps, pool, operation, USED_UP);
  await pool.query("SELECT FROM remove_job($1)", [operationId]);
}
