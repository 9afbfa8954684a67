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

const SHARE_LOCK = `SELECT pg_try_advisory_lock_shared(${namedLockKey("$1")}) AS got`;
const UNLOCK_SHARED = `SELECT pg_advisory_unlock_shared(${namedLockKey("$1")})`;

/** Takes the lock together with the sessions that share it. False if a session has it alone. */
export async function tryShareLock(client: Pick<pg.Client, "query">, name: string): Promise<boolean> {
  return (await client.query<{ got: boolean }>(SHARE_LOCK, [name])).rows[0]?.got ?? false;
}

/** Releases a shared lock before the session ends. */
export async function unlockShared(client: Pick<pg.Client, "query">, name: string): Promise<void> {
  await client.query(UNLOCK_SHARED, [name]);
}
