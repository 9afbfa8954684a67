import type pg from "pg";
import { messageOf } from "../../errors/errors.ts";

/**
 * True if a pooler in front of the server gives a session of the server to one client for a transaction only, as PgBouncer in the modes
 * `transaction` and `statement` does. Advisory locks, notifications, prepared statements and settings belong to a session, so they would be
 * lost. While nothing runs for the first client, such a pooler gives its session to the second one, or a session of another to the first.
 */
export async function sharesSessions(client: pg.Client, connect: () => Promise<pg.Client>): Promise<boolean> {
  const first = await sessionOf(client);
  const other = await connect();
  try {
    // A role may have a time limit for transactions that wait for their client.
    await other.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
    const isTaken = (await sessionOf(other)) === first;
    // If the pooler has no other session, the first client would wait for this one.
    const isChanged = !isTaken && (await sessionOf(client)) !== first;
    await other.query("ROLLBACK");
    return isTaken || isChanged;
  } catch (error) {
    if (/statement pooling/.test(messageOf(error))) return true;
    throw error;
  } finally {
    await other.end();
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;
}
