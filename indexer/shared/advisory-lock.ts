import type pg from "pg";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";

const TRY_LOCK = `SELECT pg_try_advisory_lock(${namedLockKey("$1")}) AS got`;
const UNLOCK = `SELECT pg_advisory_unlock(${namedLockKey("$1")})`;

/** Takes the lock with a name for a session. False if another session has it. The end of the session releases it. */
export async function tryLock(client: Pick<pg.Client, "query">, name: string): Promise<boolean> {
  return (await client.query<{ got: boolean }>(TRY_LOCK, [name])).rows[0]?.got ?? false;
}

/** Releases a lock before the session ends. */
export async function unlock(client: Pick<pg.Client, "query">, name: string): Promise<void> {
  await client.query(UNLOCK, [name]);
}
