import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { messageOf } from "../../../core/errors.ts";
import { type RebuildSettings, rebuildAfterCatchUp } from "./rebuild-after-catch-up.ts";
import { cancelStatement, endSession, openLongSession, processIdOf } from "./session.ts";
import { createVacuum } from "./vacuum.ts";

/** Keeps the tables of a chain small, in the background. */
export interface Maintenance extends AsyncDisposable {
  /** Tells that a batch of a chain that is far behind is written. Returns at once. */
  afterBatch(): void;
  /** Tells that the rows have reached the node's head. May be called any number of times. Returns at once. */
  atHead(): void;
}

export interface MaintenanceDeps extends Omit<RebuildSettings, "signal"> {
  readonly url: string;
  /** Called with the process id of each session that it opens, on the machine of the PostgreSQL server. Default: nothing. */
  readonly onSession?: (pid: number) => void;
  /** Default: the clock of the process. */
  readonly nowMs?: () => number;
}

type Task = (client: pg.Client) => Promise<void>;

/** Pause after a failure before the indexes are rebuilt, for example because `npm run compact` does it meanwhile. */
const RETRY_MS = 10 * 60_000;
/** A statement that is cancelled ends within milliseconds, unless the connection is lost. */
const CANCEL_ATTEMPTS = 5;
const CANCEL_PAUSE_MS = 500;
/** A parallel worker is another process, so the lower priority of the session would not hold for it. */
const WITHOUT_WORKERS = "SET max_parallel_maintenance_workers = 0";

/**
 * Has a database session of its own, which is opened for the first task. A task that is due while another one runs is left out. A task
 * that fails is logged and does not stop the indexing. Vacuuming is tried again after the next batch, and the rebuilding of indexes after
 * ten minutes. Disposing it cancels the statement that runs.
 */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { url, chainId, onSession, logger, nowMs = performance.now.bind(performance) } = deps;
  const name = `moraine maintenance ${chainId}`;
  const vacuum = createVacuum(chainId, nowMs);
  const stop = new AbortController();
  const { signal } = stop;
  let client: pg.Client | null = null;
  let running: Promise<void> | null = null;
  /** True at the start, too: an earlier process may have been interrupted. */
  let mayRebuild = true;
  let rebuildAtMs = Number.NEGATIVE_INFINITY;

  const open = async (): Promise<pg.Client> => {
    const session = await openLongSession(url, name);
    onSession?.(processIdOf(session));
    await session.query(WITHOUT_WORKERS);
    return session;
  };
  const run = async (task: Task): Promise<void> => {
    try {
      client ??= await open();
      if (!signal.aborted) await task(client);
    } catch (error) {
      if (signal.aborted) return;
      mayRebuild = true;
      rebuildAtMs = nowMs() + RETRY_MS;
      logger.warn({ chainId, err: error }, `the maintenance of the tables failed: ${messageOf(error)}`);
      await endSession(client);
      client = null;
    } finally {
      running = null;
    }
  };
  const start = (task: Task): void => {
    if (!signal.aborted) running ??= run(task);
  };
  return {
    afterBatch() {
      mayRebuild = true;
      start((session) => vacuum(session, signal));
    },
    atHead() {
      if (!mayRebuild || running || nowMs() < rebuildAtMs) return;
      mayRebuild = false;
      start((session) => rebuildAfterCatchUp(session, { ...deps, signal }));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      // A cancellation between two statements has no effect.
      for (let attempt = 0; running && attempt < CANCEL_ATTEMPTS; attempt++) {
        if (client) await cancelStatement(url, name, client);
        await Promise.race([running, sleep(CANCEL_PAUSE_MS)]);
      }
      await endSession(client);
      await running;
    },
  };
}
