import pg from "pg";
import { reasonOf } from "../../core/database/database-errors.ts";
import { isOutage } from "../../core/errors/outage.ts";

/** Why the indexing of a chain restarts, for callers of the API: without the words of the database, and without details of a bug. */
export function restartReason(error: unknown): string {
  const why =
    error instanceof pg.DatabaseError || isOutage(error)
      ? `the database cannot be used: ${reasonOf(error)}`
      : "an error in Moraine, which is in the log";
  return `the indexing failed and restarts (${why})`;
}
