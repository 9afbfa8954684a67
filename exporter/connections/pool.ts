import type pg from "pg";
import { logLostConnections } from "../../core/database/lost-connections.ts";
import { createPool } from "../../core/database/postgres/connect.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { observePool } from "../../core/observability/observe.ts";

/** Opens a pool for short statements. Lost connections are logged, and replaced when they are needed. */
export function openPool(url: string, max: number, logger: Logger): pg.Pool {
  const pool = createPool(url, {
    max,
    application_name: "moraine exporter",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  logLostConnections(pool, logger, "exporter");
  // The pool does not listen for errors of connections that are in use; whoever uses one gets the error from its statement.
  pool.on("connect", (client) => client.on("error", () => {}));
  observePool("exporter", pool);
  return pool;
}
