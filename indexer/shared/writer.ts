import type pg from "pg";
import { openSession } from "../../core/database/postgres/connect.ts";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";
import { SERVER_KEEPALIVES } from "../../core/database/postgres/session-settings.ts";
import { tryLock, tryShareLock, unlock, unlockShared } from "./advisory-lock.ts";
import { copyTables, type EncodedCopy } from "./copy-query.ts";
import { createTaskQueue } from "./task-queue.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 30_000;

/**
 * The only one that may do a task, such as writing a chain. It holds the advisory lock of the task's name in the database session in which
 * it writes. So a lock that is lost with its session takes the transaction that runs with it.
 */
export interface Writer extends AsyncDisposable {
  /**
   * Runs a task in a transaction of its own, which is rolled back if the task throws or if one of its statements fails. Rejects in both
   * cases, and after the writer is disposed. Tasks run one after another, also with those of other writers of the session: a task must not
   * wait for another one. A writer that creates partitions on demand runs a task again after it was rolled back, so a task must change
   * nothing outside of its transaction.
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

/** The statements of a pool, each on any of its connections. */
export const queriesOf = (pool: Pick<pg.Pool, "query">): Queries => ({
  query: async (text, values = []) => (await pool.query(text, [...values])).rows,
});

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
  const session = await openWriterSession({ url, applicationName: `moraine writer ${name}` });
  const writer = await session.tryBecomeWriter(name).catch(async (error: unknown) => {
    await session[Symbol.asyncDispose]();
    throw error;
  });
  if (!writer) await session[Symbol.asyncDispose]();
  return writer && { ...writer, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}

/** A database session in which writers write. Disposing it ends it after the transactions that wait. */
export interface WriterSession extends AsyncDisposable {
  /** Aborts when the session ends or is lost. */
  readonly lost: AbortSignal;
  /** Number of transactions in the present session of PostgreSQL. */
  readonly transactions: number;
  /** Loses the session if PostgreSQL does not answer within this time, after its other transactions. Default: half a minute. */
  check(timeoutMs?: number): Promise<void>;
  /**
   * Becomes the writer of `name`; returns null if another session has one. Disposing the writer releases its lock, after its transactions.
   * PostgreSQL gives a session a lock that it has already, so a name must not be asked for again before its writer is disposed.
   */
  tryBecomeWriter(name: string): Promise<Writer | null>;
  /**
   * Continues in a new session of PostgreSQL, because a session keeps in memory what it has learnt of each table. The writers keep their
   * locks and notice nothing. Resolves without a change if no new session can be opened.
   */
  renew(): Promise<void>;
}

interface WriterSessionOptions {
  readonly url: string;
  readonly applicationName: string;
  /** Called with the process id of each session that it opens, on the machine of the PostgreSQL server. Default: nothing. */
  readonly onSession?: (pid: number) => void;
}

export async function openWriterSession(options: WriterSessionOptions): Promise<WriterSession> {
  const lost = new AbortController();
  const writers = new Set<HeldLock>();
  const lostClients = new WeakSet<pg.Client>();
  const enqueue = createTaskQueue();
  const watched = async (): Promise<pg.Client> => {
    const client = await connect(options);
    const lose = (error: Error) => {
      lostClients.add(client);
      // A session that was replaced by a new one has no locks to lose.
      if (client !== current.client) return;
      lost.abort(error);
      for (const writer of writers) writer.lost.abort(error);
    };
    client.on("error", lose);
    client.on("end", () => lose(new Error("the database connection ended")));
    return client;
  };
  const current: CurrentSession = { client: null as unknown as pg.Client, transactions: 0 };
  current.client = await watched();
  return {
    lost: lost.signal,
    get transactions() {
      return current.transactions;
    },
    check: (timeoutMs = CHECK_TIMEOUT_MS) =>
      enqueue(async () => {
        const check = { text: "SELECT 1", query_timeout: timeoutMs };
        await current.client.query(check).catch(() => current.client.end());
      }),
    tryBecomeWriter: (name) =>
      enqueue(async () => {
        const lock = `${LOCK_PREFIX}${name}`;
        if (!(await tryLock(current.client, lock))) return null;
        try {
          // Sessions of this process alone share it, while one continues in another.
          await tryShareLock(current.client, lock);
          await unlock(current.client, lock);
        } catch (error) {
          // The session would keep the lock, so nothing could ever become the writer of the name again.
          await current.client.end();
          throw error;
        }
        return createWriter({ name, lock, current, enqueue, writers });
      }),
    async renew() {
      const next = await watched().catch(() => null);
      if (next) await enqueue(() => replace(current, next, [...writers], (client) => lostClients.has(client)));
    },
    [Symbol.asyncDispose]: () => enqueue(() => current.client.end()),
  };
}

async function connect({ url, applicationName, onSession }: WriterSessionOptions): Promise<pg.Client> {
  const client = await openSession(url, {
    application_name: applicationName,
    keepAlive: true,
    settings: SERVER_KEEPALIVES,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // PostgreSQL executes the next statement without waiting for this process, whose thread may be busy with other blocks.
    pipeline: true,
  });
  onSession?.((client as pg.Client & { readonly processID: number }).processID);
  return client;
}

interface CurrentSession {
  client: pg.Client;
  transactions: number;
}

/** Passes the locks to another session. Keeps the present one if that is impossible. */
async function replace(
  current: CurrentSession,
  next: pg.Client,
  writers: readonly HeldLock[],
  isLost: (client: pg.Client) => boolean,
): Promise<void> {
  const { client } = current;
  try {
    for (const { lock } of writers)
      if (!(await tryShareLock(next, lock))) throw new Error("another session has become the writer");
    // It still had all locks, so no other process has taken one meanwhile and shares it now.
    await client.query("SELECT 1");
    // A loss from here on is that of the present session.
    if (isLost(next)) throw new Error("the new session was lost");
    current.client = next;
    current.transactions = 0;
    await client.end();
  } catch {
    if (current.client !== next) await next.end().catch(() => {});
  }
}

interface HeldLock {
  /** Name of the lock. */
  readonly lock: string;
  /** Aborts when the session is lost. */
  readonly lost: AbortController;
}

interface WriterDeps {
  readonly name: string;
  readonly lock: string;
  readonly current: CurrentSession;
  readonly enqueue: ReturnType<typeof createTaskQueue>;
  /** The writers of the session. */
  readonly writers: Set<HeldLock>;
}

function createWriter({ name, lock, current, enqueue, writers }: WriterDeps): Writer {
  const held = { lock, lost: new AbortController() };
  const { signal } = held.lost;
  writers.add(held);
  let isEnded = false;
  return {
    lost: signal,
    transaction(task, options) {
      return enqueue(async () => {
        // The session no longer holds the lock.
        if (isEnded) throw new Error(`the writer ${name} has ended`);
        current.transactions++;
        return inTransaction(current.client, task, options?.relaxed ?? false);
      });
    },
    [Symbol.asyncDispose]: () =>
      enqueue(async () => {
        isEnded = true;
        writers.delete(held);
        if (!signal.aborted) await unlockShared(current.client, lock);
      }),
  };
}

/**
 * With the extension Citus, a transaction may write on two servers, of which one could lose in a crash what the other has kept. So its
 * transactions are never relaxed.
 */
const RELAXED = `BEGIN; SELECT set_config('synchronous_commit', 'off', true) WHERE current_setting('citus.version', true) IS NULL`;

async function inTransaction<Result>(
  client: pg.Client,
  task: (session: Session) => Promise<Result>,
  relaxed: boolean,
): Promise<Result> {
  await client.query(relaxed ? RELAXED : "BEGIN");
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
