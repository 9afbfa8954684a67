import type pg from "pg";
import { EXPORT_TASK } from "../../core/database/operations.ts";
import { observeQueue, type QueueState } from "../../core/observability/queues.ts";

const JOBS = `
  SELECT count(*) FILTER (WHERE locked_at IS NULL)::int AS waiting,
    count(*) FILTER (WHERE locked_at IS NOT NULL)::int AS running
  FROM jobs WHERE task_identifier = $1`;

/** Reports the export jobs of all exporters, from the job queue in the database. */
export function observeExports(pool: pg.Pool): Disposable {
  return observeQueue("exports", async () => {
    const { rows } = await pool.query<QueueState>(JOBS, [EXPORT_TASK]);
    return rows[0] ?? { waiting: 0, running: 0 };
  });
}
