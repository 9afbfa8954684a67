import type { QueryConfig } from "pg";
import type { Databases, PooledDatabase } from "../../../../core/database/database.ts";
import { reasonOf, TIMEOUT } from "../../../../core/database/database-errors.ts";
import type { ReplicaState } from "../../../../core/database/replicas.ts";
import type { Check, CheckOutcome } from "../runner/check.ts";
import { withinLimit } from "../runner/time-limit.ts";

/**
 * Passes if the database answers within the time limit. The error contains neither address nor account. The message has the state of each
 * replica, in the order of `databaseReadUrls`; there is none without replicas. A replica that cannot be used does not let the check fail.
 */
export function databaseCheck(
  { pool, replicas = null }: Pick<PooledDatabase, "pool"> & Partial<Pick<Databases, "replicas">>,
  timeLimitMs: number,
): Check {
  const ask = async (): Promise<CheckOutcome> => {
    try {
      // `query_timeout` of a statement is missing in the types of pg.
      const statement: QueryConfig & { query_timeout: number } = { text: "SELECT 1", query_timeout: timeLimitMs };
      await pool.query(statement);
      return replicas ? { message: { replicas: replicas.states().map(shownState) } } : {};
    } catch (error) {
      return unusable(reasonOf(error));
    }
  };
  // `query_timeout` does not cover the wait for a connection of the pool, so the whole check has a limit too.
  return () => withinLimit(ask, timeLimitMs, () => unusable(TIMEOUT));
}

const shownState = ({ lagSeconds, reason }: ReplicaState): object => ({
  isUsed: reason === null,
  lagSeconds,
  ...(reason !== null && { reason }),
});

const unusable = (reason: string): CheckOutcome => ({ error: `the database cannot be used: ${reason}` });
