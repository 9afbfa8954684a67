import { timingSafeEqual } from "node:crypto";
import { loadSecret } from "../../database/database.ts";
import { untilMigrated } from "../../database/migrate.ts";
import { createPool } from "../../database/postgres/connect.ts";
import { untilSucceeded } from "../../database/postgres/usable-database.ts";
import type { Logger } from "../../observability/logger.ts";

/** Header in which REST, in a process of its own, shows the gateway that it has checked and charged a request. */
export const INTERNAL_TOKEN_HEADER = "x-moraine-internal";

/**
 * Reads the token of this installation from the database, and creates it at the first call of any process. Retries every second while the
 * database cannot be reached or its tables are missing or old. Throws `ConfigError` if a newer version has upgraded the database. If the
 * signal is aborted, the promise rejects with the signal's reason.
 */
export function loadInternalToken(databaseUrl: string, logger: Logger, signal: AbortSignal): Promise<string> {
  const load = async () => {
    await untilMigrated(databaseUrl, signal, (line) => logger.info(line));
    const pool = createPool(databaseUrl, { max: 1, connectionTimeoutMillis: 5_000 });
    // PostgreSQL may end the session between the statement and the end of the pool. Without a listener, that would end the process.
    pool.on("error", (error) => logger.debug({ err: error }, "lost an idle database connection"));
    try {
      return (await loadSecret(pool, "internal-requests")).toString("hex");
    } finally {
      await pool.end();
    }
  };
  return untilSucceeded(load, logger, signal);
}

/** Compares in constant time. */
export function isInternalToken(given: unknown, token: string): boolean {
  return (
    typeof given === "string" &&
    given.length === token.length &&
    /^[0-9a-f]+$/.test(given) &&
    timingSafeEqual(Buffer.from(given), Buffer.from(token))
  );
}
