import type pg from "pg";
import { queryTexts, type Statement, type TextRows } from "./text-query.ts";

/**
 * Runs a statement, and cancels it in PostgreSQL when the signal is aborted. Rejects with the signal's reason then. A statement whose
 * signal is aborted before it starts is not sent.
 */
export async function queryCancellably(pool: pg.Pool, statement: Statement, signal: AbortSignal): Promise<TextRows> {
  signal.throwIfAborted();
  const client = await pool.connect();
  let cancelling: Promise<unknown> = Promise.resolve();
  const cancel = () => {
    cancelling = cancelStatement(pool, client).catch(() => {});
  };
  let error: Error | undefined;
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel, { once: true });
    return await queryTexts(client, statement);
  } catch (thrown) {
    error = thrown as Error;
    signal.throwIfAborted();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", cancel);
    // The connection's next statement must not be cancelled instead.
    await cancelling;
    client.release(isStatementError(error) || signal.aborted ? undefined : error);
  }
}

/** PostgreSQL cancels the statement that the connection runs now, if any. */
function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<unknown> {
  const { processID } = client as pg.PoolClient & { readonly processID: number };
  return pool.query("SELECT pg_cancel_backend($1)", [processID]);
}

/** True if the statement has failed and the connection can be used again. */
function isStatementError(error: Error | undefined): boolean {
  return error === undefined || "severity" in error;
}
