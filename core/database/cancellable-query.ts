import type pg from "pg";
import { errorCode } from "../errors/errors.ts";
import type { Work } from "../work/work.ts";
import { createPool, urlOf } from "./postgres/connect.ts";

/** How long the connection that cancels statements stays open without use. */
const CANCEL_IDLE_MS = 1_000;

/** The pools from which statements of another pool are cancelled. */
const cancelPools = new WeakMap<pg.Pool, pg.Pool>();

/**
 * Opens a connection of its own, when one is needed, for cancelling statements of the pool: statements are cancelled most when all
 * connections of the pool are in use. Dispose it with the pool.
 */
export function enableCancelling(pool: pg.Pool): AsyncDisposable {
  const { application_name, connectionTimeoutMillis, query_timeout } = pool.options;
  const own = createPool(urlOf(pool), {
    max: 1,
    application_name,
    connectionTimeoutMillis,
    query_timeout,
    idleTimeoutMillis: CANCEL_IDLE_MS,
  });
  // A lost connection is replaced when it is needed again.
  own.on("error", () => {});
  cancelPools.set(pool, own);
  return { [Symbol.asyncDispose]: () => own.end() };
}

/** Sends a statement over a connection, and calls `done` with its result or its error. */
export type Send<Result> = (client: pg.PoolClient, done: Done<Result>) => void;

type Done<Result> = (error: Error | null | undefined, result?: Result) => void;

/**
 * Runs a statement, and cancels it in PostgreSQL when the work is cancelled. Rejects with the work's reason then. A statement whose work is
 * cancelled before it has a connection is not sent.
 *
 * It uses callbacks, as `pool.query` does: promises would take longer than all the rest of it.
 */
export function queryCancellably<Result extends object>(
  pool: pg.Pool,
  send: Send<Result>,
  work: Work,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (work.reason) return reject(work.reason);
    pool.connect((error, client) => {
      if (!client) return reject(work.reason ?? error);
      if (!work.reason) return runOn(client, { pool, send, work, resolve, reject });
      // The pool calls the next waiting function before `release` returns, so thousands of cancelled ones would use up the stack.
      queueMicrotask(() => client.release());
      reject(work.reason);
    });
  });
}

interface Query<Result> {
  readonly pool: pg.Pool;
  readonly send: Send<Result>;
  readonly work: Work;
  resolve(result: Result): void;
  reject(error: Error): void;
}

function runOn<Result extends object>(
  client: pg.PoolClient,
  { pool, send, work, resolve, reject }: Query<Result>,
): void {
  let isOver = false;
  let cancelling: Promise<unknown> | null = null;
  const cancel = () => {
    cancelling = cancelStatement(pool, client).catch(() => {});
  };
  const end: Done<Result> = (error, result) => {
    if (isOver) return;
    isOver = true;
    client.removeListener("error", end);
    work.onCancel.delete(cancel);
    const { reason } = work;
    // A connection is used again after a cancelled statement. Other errors may mean that it, or what it has prepared, is not usable.
    const unusable = error && !(reason && isCancelled(error)) ? error : undefined;
    // The connection's next statement must not be cancelled instead.
    if (cancelling) void cancelling.then(() => client.release(unusable));
    else client.release(unusable);
    if (result) resolve(result);
    else reject(reason ?? (error as Error));
  };
  client.once("error", end);
  work.onCancel.add(cancel);
  try {
    send(client, end);
  } catch (error) {
    end(error as Error);
  }
}

/** PostgreSQL cancels the statement that the connection runs now, if any. */
function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<unknown> {
  const { processID } = client as pg.PoolClient & { readonly processID: number };
  return (cancelPools.get(pool) ?? pool).query("SELECT pg_cancel_backend($1::int)", [processID]);
}

/** PostgreSQL's code for a cancelled statement. */
const QUERY_CANCELED = "57014";

function isCancelled(error: Error): boolean {
  return errorCode(error) === QUERY_CANCELED;
}
