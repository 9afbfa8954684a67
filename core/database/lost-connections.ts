import type pg from "pg";
import type { Logger } from "../observability/logger.ts";
import { createOutageLog } from "../observability/outage-log.ts";

/**
 * Logs when connections of a pool are lost that no statement uses: once until the pool opens a connection again. Without this, such a loss
 * would end the process. `name` is that of the pool in the log.
 */
export function logLostConnections(pool: pg.Pool, logger: Logger, name: string): void {
  const outage = createOutageLog({ logger, subject: `the pool "${name}" of database connections` });
  pool.on("error", outage.failedBy);
  pool.on("connect", outage.succeeded);
}
