import type pg from "pg";
import type { Config } from "../core/config/config-schema.ts";
import type { ExportRequest } from "../core/database/operations.ts";
import { placementOf } from "../core/database/placement.ts";
import type { Logger } from "../core/observability/logger.ts";
import { cleanUp } from "./clean-up.ts";
import { openPool } from "./connections/pool.ts";
import type { ExportSource } from "./export-source.ts";
import { createFileStore } from "./files/create-store.ts";
import { watchCancellations } from "./queue/cancellations.ts";
import { observeExports } from "./queue/queue-metrics.ts";
import { startQueueWorker } from "./queue/queue-worker.ts";
import { createRunningJobs } from "./queue/running-jobs.ts";
import { settleOrphans, unlockDeadWorkers } from "./queue/sweep.ts";
import { repeat } from "./repeat.ts";
import { createExportSource } from "./rows/source.ts";
import { type ExporterTimings, TIMINGS } from "./timings.ts";

export interface ExporterOptions {
  readonly config: Config;
  /** URL of the main database on the primary PostgreSQL server. A connection pooler in front of it must keep sessions. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Default: the rows of the tables. */
  readonly createSource?: (request: ExportRequest) => ExportSource;
  readonly nowSeconds?: () => number;
  readonly timings?: ExporterTimings;
}

/** A running exporter. */
export type Exporter = AsyncDisposable;

/** Connections for the queue, the sweep and the clean-up; each running job has two of its own. */
const POOL_SIZE = 5;

/**
 * Runs export jobs of the queue until it is disposed. Any number of processes may do so. Disposing it gives the running jobs
 * back after their last part, so that another worker continues them.
 */
export function startExporter(options: ExporterOptions): Exporter {
  const { config, databaseUrl, logger, timings = TIMINGS } = options;
  const { createSource = (request) => createExportSource(request, { config }) } = options;
  const { concurrency, maxRows, fileLifetimeSeconds: lifetimeSeconds } = config.exports;
  const nowSeconds = options.nowSeconds ?? (() => Math.floor(Date.now() / 1_000));
  const store = createFileStore(config, nowSeconds);
  const pool = openPool(databaseUrl, POOL_SIZE, logger);
  const observation = observeExports(pool);
  const jobs = createRunningJobs();
  const placement = placementOf(config, databaseUrl);
  const deps = { placement, pool, store, jobs, createSource, maxRows, lifetimeSeconds, nowSeconds, timings, logger };
  const parts = [
    startQueueWorker({ ...deps, concurrency }),
    repeat(
      "the search for jobs of dead workers",
      timings.sweepMs,
      async (end) => {
        await unlockDeadWorkers(deps);
        await settleOrphans(deps, end);
      },
      logger,
    ),
    repeat("the removal of expired exports", timings.cleanUpMs, (end) => cleanUp(deps, end), logger),
    watchCancellations({
      pool,
      logger,
      async onCancelled(operationId) {
        jobs.cancel(operationId);
        // If no worker runs the operation, this ends it.
        await settleOrphans(deps);
      },
      onReconnected: () => cancelMissed(pool, jobs),
    }),
  ];
  return {
    async [Symbol.asyncDispose]() {
      observation[Symbol.dispose]();
      await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
      await pool.end();
    },
  };
}

/** Cancels the jobs of this process that were cancelled while it could not listen. */
async function cancelMissed(pool: pg.Pool, jobs: ReturnType<typeof createRunningJobs>): Promise<void> {
  const text = "SELECT operation_id AS id FROM operations WHERE operation_id = ANY ($1) AND is_cancelled";
  const { rows } = await pool.query<{ id: string }>(text, [jobs.operationIds]);
  for (const { id } of rows) jobs.cancel(id);
}
