import type { Job } from "graphile-worker";
import type pg from "pg";
import { inTransaction } from "../../core/database/transaction.ts";

/** When a job runs again, and its number of attempts. */
export interface RetrySchedule {
  /** Pause before the next attempt. */
  readonly delayMs: number;
  /** Attempts so far. */
  readonly attempts: number;
}

/**
 * Gives a running job back to the queue. The queue itself would wait longer after each attempt, up to hours, and would count
 * an attempt that ended because its worker stopped.
 */
export async function returnJob(pool: pg.Pool, job: Job, { delayMs, attempts }: RetrySchedule): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("SELECT force_unlock_workers(ARRAY[$1::text])", [job.locked_by]);
    await client.query(
      `SELECT FROM reschedule_jobs(ARRAY[$1::bigint], attempts => $2,
        run_at => now() + $3 * interval '1 millisecond')`,
      [job.id, attempts, delayMs],
    );
    if (delayMs === 0) await announceJobs(client, 1);
  });
}

/** Lets idle workers look for jobs at once. */
export async function announceJobs(client: pg.ClientBase, count: number): Promise<void> {
  await client.query("SELECT pg_notify('jobs:insert', json_build_object('r', random(), 'count', $1::int)::text)", [
    count,
  ]);
}
