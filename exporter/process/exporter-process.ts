import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { cleanUp } from "../clean-up.ts";
import { watchOperationChanges } from "../connections/operation-changes.ts";
import { openPool } from "../connections/pool.ts";
import { createFileStore } from "../files/create-store.ts";
import { observeExports } from "../queue/queue-metrics.ts";
import { repeat } from "../repeat.ts";
import { type ExporterTimings, TIMINGS } from "../timings.ts";
import { keepWorker } from "./keep-worker.ts";
import { forkWorker } from "./worker-process.ts";

export interface ExporterProcessOptions {
  readonly config: Config;
  /** URL of the primary PostgreSQL server. A connection pooler in front of it must keep sessions. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly timings?: ExporterTimings;
}

/** Connections for the removal of expired exports and the check for running exports. */
const POOL_SIZE = 2;

/**
 * Runs export jobs in a process of their own, so that they take neither time nor memory of this one. The process starts with
 * the first job. Disposing the exporter ends it; its jobs are given back.
 */
export function startExporterProcess(options: ExporterProcessOptions): AsyncDisposable {
  const { config, databaseUrl, logger, timings = TIMINGS } = options;
  const pool = openPool(databaseUrl, POOL_SIZE, logger);
  const observation = observeExports(pool);
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const store = createFileStore(config, nowSeconds);
  const worker = keepWorker({
    fork: () => forkWorker({ config, databaseUrl, timings, logLevel: logger.level }),
    isNeeded: () => isAnyRunning(pool),
    logger,
  });
  const parts = [
    worker,
    repeat(
      "the removal of expired exports",
      timings.cleanUpMs,
      (end) => cleanUp({ pool, store, nowSeconds, logger }, end),
      logger,
    ),
    // Notifications start the process at once. This timer starts it if the database query failed at that time.
    repeat("the check for running exports", timings.cleanUpMs, worker.check, logger),
    watchOperationChanges({
      pool,
      logger,
      about: "new exports",
      onChange: () => worker.check(),
      onListening: () => worker.check(),
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

async function isAnyRunning(pool: pg.Pool): Promise<boolean> {
  return (await pool.query("SELECT FROM operations WHERE operation_status = 'RUNNING' LIMIT 1")).rowCount === 1;
}
