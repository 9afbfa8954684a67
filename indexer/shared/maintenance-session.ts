import type pg from "pg";
import { openSession } from "../../core/database/postgres/connect.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 2_000;
/** How long the session stays open without work. Vacuuming is due again after the next batches. */
const IDLE_MS = 30_000;
/** The session is closed after so many tasks: PostgreSQL keeps in it what it has learnt of each table, half a MB for the tables of a chain. */
const MOST_TASKS = 200;
/** A parallel worker is another process, so the lower priority of the session would not hold for it. */
const WITHOUT_WORKERS = "SET max_parallel_maintenance_workers = 0";
const NAME = "moraine maintenance";

export type MaintenanceTask<Result> = (client: pg.Client) => Promise<Result>;

/** The database session in which one process maintains the tables of all its chains. */
export interface MaintenanceSession extends AsyncDisposable {
  /**
   * Runs a task when no other task runs. Opens the session if it is not open. If the task fails, the session is closed. Aborting the signal
   * ends the wait for the other tasks.
   */
  run<Result>(task: MaintenanceTask<Result>, signal: AbortSignal): Promise<Result>;
  /** Cancels the statement that runs. */
  cancel(): Promise<void>;
}

export interface MaintenanceSessionOptions {
  readonly url: string;
  /** Called with the process id of each session that it opens, on the machine of the PostgreSQL server. Default: nothing. */
  readonly onSession?: (pid: number) => void;
}

/** Creates the session, which is opened when there is work, and closed after half a minute without work and after 200 tasks. */
export function createMaintenanceSession({ url, onSession }: MaintenanceSessionOptions): MaintenanceSession {
  let client: pg.Client | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let tasks = 0;
  const close = async (): Promise<void> => {
    const closing = client;
    client = null;
    tasks = 0;
    await endSession(closing);
  };
  const open = async (): Promise<pg.Client> => {
    const session = await openLongSession(url, NAME);
    onSession?.(processIdOf(session));
    await session.query(WITHOUT_WORKERS);
    return session;
  };
  const runAlone = async <Result>(task: MaintenanceTask<Result>): Promise<Result> => {
    clearTimeout(idle);
    try {
      client ??= await open();
      tasks++;
      const result = await task(client);
      if (tasks >= MOST_TASKS) void close();
      return result;
    } catch (error) {
      await close();
      throw error;
    } finally {
      if (client) idle = setTimeout(() => void close(), IDLE_MS).unref();
    }
  };
  return {
    run(task, signal) {
      const before = last;
      const result = unlessAborted(before, signal).then(() => runAlone(task));
      last = Promise.allSettled([before, result]);
      return result;
    },
    async cancel() {
      if (client) await cancelStatement(url, NAME, client);
    },
    async [Symbol.asyncDispose]() {
      await last;
      clearTimeout(idle);
      await close();
    },
  };
}

async function unlessAborted(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const waiting = new AbortController();
  const aborted = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: waiting.signal });
  });
  try {
    await Promise.race([before, aborted]);
  } finally {
    waiting.abort();
  }
}

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
function processIdOf(client: pg.Client): number {
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
async function cancelStatement(url: string, name: string, client: pg.Client): Promise<void> {
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
