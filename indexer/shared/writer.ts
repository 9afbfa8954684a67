import type pg from "pg";
import { openSession } from "../../core/database/postgres/connect.ts";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";
import { tryLock, unlock } from "./advisory-lock.ts";
import { copyTables, type EncodedCopy } from "./copy-query.ts";
import { createTaskQueue } from "./task-queue.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The only one that may do a task, such as writing a chain. It holds the advisory lock of the task's name in the database session in which
 * it writes. So a lock that is lost with its session takes the transaction that runs with it.
 */
export interface Writer extends AsyncDisposable {
  /**
   * Runs a task in a transaction of its own, which is rolled back if the task throws or if one of its statements fails. Rejects in both
   * cases, and after the writer is disposed. Tasks run one after another, also with those of other writers of the session: a task must not
   * wait for another one.
   */
  transaction<Result>(
    task: (session: Session) => Promise<Result>,
    options?: { readonly relaxed?: boolean },
  ): Promise<Result>;
  /** Aborts when the session is lost. Another process may then become the writer. */
  readonly lost: AbortSignal;
}

/**
 * The statements of a transaction. PostgreSQL executes them in the order in which they are called. A statement that is called before the
 * previous one has ended is sent at once, and starts as soon as that one ends. A statement fails if its transaction has ended.
 */
export interface Session {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Inserts rows with COPY. All tables are sent at once, so PostgreSQL starts the next one without waiting for this process. Does nothing
   * without tables.
   */
  copy(copies: readonly EncodedCopy[]): Promise<void>;
  /**
   * Throws if these tables are to get rows and lack partitions that the writer creates on demand. It then creates them and runs the task again.
   * Absent if the writer creates none.
   */
  requirePartitions?(tables: readonly string[]): void;
}

/** The statements of a session that only reads. */
export type Queries = Pick<Session, "query">;

const LOCK_PREFIX = "moraine writer ";

/** SQL of the key of the lock that the writer of a name holds. `name` is the SQL of a text. */
export function writerLockKey(name: string): string {
  return namedLockKey(`'${LOCK_PREFIX}' || ${name}`);
}

/**
 * Becomes the writer of `name` in a session of its own; returns null if another one is the writer. A `relaxed` transaction commits
 * asynchronously: if the database server crashes, the last transactions may be lost (never in part or out of order). The indexing then
 * continues after the last transaction that was kept.
 */
export async function tryBecomeWriter(url: string, name: string): Promise<Writer | null> {
  const session = await openWriterSession(url, `moraine writer ${name}`);
  const writer = await session.tryBecomeWriter(name).catch(async (error: unknown) => {
    await session[Symbol.asyncDispose]();
    throw error;
  });
  if (!writer) await session[Symbol.asyncDispose]();
  return writer && { ...writer, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}

/** A database session in which writers write. Disposing it ends it after the transactions that wait. */
export interface WriterSession extends AsyncDisposable {
  /** Its process id on the machine of the PostgreSQL server. */
  readonly processId: number;
  /** Aborts when the session ends or is lost. */
  readonly lost: AbortSignal;
  /**
   * Becomes the writer of `name`; returns null if another session has one. Disposing the writer releases its lock, after its transactions.
   * PostgreSQL gives a session a lock that it has already, so a name must not be asked for again before its writer is disposed.
   */
  tryBecomeWriter(name: string): Promise<Writer | null>;
}

export async function openWriterSession(url: string, applicationName: string): Promise<WriterSession> {
  const client = await openSession(url, {
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // PostgreSQL executes the next statement without waiting for this process, whose thread may be busy with other blocks.
    pipeline: true,
  });
  const lost = new AbortController();
  // Not by listeners at one signal: the session outlives many writers.
  const losses = new Set<AbortController>();
  const lose = (error: Error) => {
    lost.abort(error);
    for (const one of losses) one.abort(error);
  };
  client.on("error", lose);
  client.on("end", () => lose(new Error("the database connection ended")));
  const enqueue = createTaskQueue();
  return {
    processId: (client as pg.Client & { readonly processID: number }).processID,
    lost: lost.signal,
    async tryBecomeWriter(name) {
      const got = await enqueue(() => tryLock(client, `${LOCK_PREFIX}${name}`));
      return got ? createWriter({ client, name, enqueue, sessionLost: lost.signal, losses }) : null;
    },
    [Symbol.asyncDispose]: () => enqueue(() => client.end()),
  };
}

interface WriterDeps {
  readonly client: pg.Client;
  readonly name: string;
  readonly enqueue: ReturnType<typeof createTaskQueue>;
  readonly sessionLost: AbortSignal;
  /** What aborts when the session is lost. */
  readonly losses: Set<AbortController>;
}

function createWriter({ client, name, enqueue, sessionLost, losses }: WriterDeps): Writer {
  const lost = new AbortController();
  if (sessionLost.aborted) lost.abort(sessionLost.reason);
  losses.add(lost);
  let isEnded = false;
  return {
    lost: lost.signal,
    transaction(task, options) {
      return enqueue(async () => {
        // The session no longer holds the lock.
        if (isEnded) throw new Error(`the writer ${name} has ended`);
        return inTransaction(client, task, options?.relaxed ?? false);
      });
    },
    [Symbol.asyncDispose]: () =>
      enqueue(async () => {
        isEnded = true;
        losses.delete(lost);
        if (!lost.signal.aborted) await unlock(client, `${LOCK_PREFIX}${name}`);
      }),
  };
}

async function inTransaction<Result>(
  client: pg.Client,
  task: (session: Session) => Promise<Result>,
  relaxed: boolean,
): Promise<Result> {
  await client.query(relaxed ? "BEGIN; SET LOCAL synchronous_commit = off" : "BEGIN");
  const state = { isOpen: true };
  const end = (statement: "COMMIT" | "ROLLBACK") => {
    state.isOpen = false;
    return client.query(statement);
  };
  try {
    const result = await task(sessionOf(client, state));
    const { command } = await end("COMMIT");
    // After a failed statement, PostgreSQL answers COMMIT with ROLLBACK, which is no error.
    if (command !== "COMMIT")
      throw new Error("PostgreSQL rolled the transaction back: one of its statements had failed");
    return result;
  } catch (error) {
    await end("ROLLBACK").catch(() => {});
    throw error;
  }
}

function sessionOf(client: pg.Client, state: { readonly isOpen: boolean }): Session {
  const call = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    // The statement would take effect outside any transaction.
    if (!state.isOpen) throw new Error("a statement was called after the end of its transaction");
    return run();
  };
  return {
    query: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      call(async () => (await client.query<Row>(text, [...values])).rows),
    copy: (copies) => call(() => copyTables(client, copies)),
  };
}
