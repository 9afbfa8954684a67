import type pg from "pg";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";

/**
 * SQL of the key of an operation's advisory lock, which the connection of a running job holds. `operationId` is an SQL expression
 * here and in `isLocked`.
 */
const lockKey = (operationId: string): string => namedLockKey(`'moraine export ' || ${operationId}`);

/** SQL that is true if any connection to this database holds the advisory lock of an operation. */
export const isLocked = (operationId: string): string => `EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${lockKey(operationId)})`;

/** Takes the lock of an operation until the connection ends. Returns false if another connection holds it. */
export async function tryLock(client: pg.ClientBase, operationId: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${lockKey("$1::text")}) AS got`, [
    operationId,
  ]);
  return rows[0]?.got ?? false;
}
