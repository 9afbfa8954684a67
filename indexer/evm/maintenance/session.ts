import type pg from "pg";
import { openSession } from "../../../core/postgres/connect.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 2_000;

/**
 * Opens a session for statements that take as long as tables are large. If the connection is lost without notice, the statement that runs
 * fails when keepalive finds out.
 */
export function openLongSession(url: string, name: string): Promise<pg.Client> {
  return openSession(url, {
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
}

/** The process id of the session on the machine of the PostgreSQL server. */
export function processIdOf(client: pg.Client): number {
  return (client as pg.Client & { readonly processID: number }).processID;
}

/** Ignores a failure: the session may be lost already. A statement that still runs is rejected. */
export async function endSession(client: pg.Client | null): Promise<void> {
  await client?.end().catch(() => {});
}

/** The name tells whether a session with this process id is still the same: after a failover, it may be another one. */
const CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2";

/**
 * Cancels the statement that a session of `openLongSession` runs. PostgreSQL would otherwise end the statement of a closed connection only
 * when it is complete.
 */
export async function cancelStatement(url: string, name: string, client: pg.Client): Promise<void> {
  const pid = processIdOf(client);
  let other: pg.Client | null = null;
  try {
    other = await openSession(url, {
      connectionTimeoutMillis: CANCEL_TIMEOUT_MS,
      query_timeout: CANCEL_TIMEOUT_MS,
    });
    await other.query(CANCEL, [pid, name]);
  } catch {
    // The database is not available, so the statement has ended or ends soon.
  } finally {
    await endSession(other);
  }
}
