import type pg from "pg";
import { openSession } from "../../core/database/postgres/connect.ts";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";
import { tryLock } from "./advisory-lock.ts";
import { copyTables, type EncodedCopy } from "./copy-query.ts";
import { createTaskQueue } from "./task-queue.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The only database session that may do a task, such as writing a chain. It holds the advisory lock of the task's name, which
 * ends with the session.
 */
export interface Writer extends AsyncDisposable {
  /**
   * Runs a task in a transaction of its own, which is rolled back if the task throws or if one of its statements fails. Rejects in both
   * cases. Tasks run one after another.
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
}

/** The statements of a session that only reads. */
export type Queries = Pick<Session, "query">;

const LOCK_PREFIX = "moraine writer ";

/** SQL of the key of the lock that the writer of a name holds. `name` is the SQL of a text. */
export function writerLockKey(name: string): string {
  return namedLockKey(`'${LOCK_PREFIX}' || ${name}`);
}

/**
 * Becomes the writer of `name`; returns null if another session is the writer. A `relaxed` transaction commits asynchronously:
 * if the database server crashes, the last transactions may be lost (never in part or out of order). The indexing then continues
 * after the last transaction that was kept.
 */
export async function tryBecomeWriter(url: string, name: string): Promise<Writer | null> {
  const client = await openSession(url, {
    application_name: `moraine writer ${name}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // PostgreSQL executes the next statement without waiting for this process, whose thread may be busy with other blocks.
    pipeline: true,
  });
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("the database connection ended")));
  const got = await tryLock(client, `${LOCK_PREFIX}${name}`).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  if (!got) {
    await client.end();
    return null;
  }
  const enqueue = createTaskQueue();
  return {
    lost: lost.signal,
    transaction: (task, options) => enqueue(() => inTransaction(client, task, options?.relaxed ?? false)),
    [Symbol.asyncDispose]: () => enqueue(() => client.end()),
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
