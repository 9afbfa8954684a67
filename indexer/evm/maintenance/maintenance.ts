import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../core/errors/errors.ts";
import { type RebuildSettings, rebuildAfterCatchUp } from "./rebuild-after-catch-up.ts";
import type { MaintenanceSession, MaintenanceTask } from "./session.ts";
import { createVacuum } from "./vacuum.ts";

/** Keeps the tables of a chain small, in the background. */
export interface Maintenance extends AsyncDisposable {
  /** Tells that a batch of a chain that is far behind is written. Returns at once. */
  afterBatch(): void;
  /** Tells that the rows have reached the node's head. May be called any number of times. Returns at once. */
  atHead(): void;
}

export interface MaintenanceDeps extends Omit<RebuildSettings, "signal"> {
  readonly session: MaintenanceSession;
  /** Default: the clock of the process. */
  readonly nowMs?: () => number;
}

/** Pause after a failure before the indexes are rebuilt, for example because `moraine compact` does it meanwhile. */
const RETRY_MS = 10 * 60_000;
/** A statement that is cancelled ends within milliseconds, unless the connection is lost. */
const CANCEL_ATTEMPTS = 5;
const CANCEL_PAUSE_MS = 500;

/**
 * Shares the session with the other chains of the process. A task that is due while another one of this chain waits or runs is left out. A
 * task that fails is logged and does not stop the indexing. Vacuuming is tried again after the next batch, and the rebuilding of indexes
 * after ten minutes. Disposing it cancels the statement that runs.
 */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { session, chainId, logger, nowMs = performance.now.bind(performance) } = deps;
  const vacuum = createVacuum(chainId, nowMs);
  const stop = new AbortController();
  const { signal } = stop;
  /** True while a task of this chain has the session. */
  let hasSession = false;
  let running: Promise<void> | null = null;
  /** True at the start, too: an earlier process may have been interrupted. */
  let mayRebuild = true;
  let rebuildAtMs = Number.NEGATIVE_INFINITY;

  const run = async (task: MaintenanceTask): Promise<void> => {
    const withSession: MaintenanceTask = async (client) => {
      hasSession = true;
      if (!signal.aborted) await task(client);
    };
    try {
      await session.run(withSession, signal);
    } catch (error) {
      if (signal.aborted) return;
      mayRebuild = true;
      rebuildAtMs = nowMs() + RETRY_MS;
      logger.warn({ chainId, err: error }, `the maintenance of the tables failed: ${messageOf(error)}`);
    } finally {
      hasSession = false;
      running = null;
    }
  };
  const start = (task: MaintenanceTask): void => {
    if (!signal.aborted) running ??= run(task);
  };
  return {
    afterBatch() {
      mayRebuild = true;
      start((client) => vacuum(client, signal));
    },
    atHead() {
      if (!mayRebuild || running || nowMs() < rebuildAtMs) return;
      mayRebuild = false;
      start((client) => rebuildAfterCatchUp(client, { ...deps, signal }));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      // A cancellation between two statements has no effect.
      for (let attempt = 0; running && attempt < CANCEL_ATTEMPTS; attempt++) {
        if (hasSession) await session.cancel();
        await Promise.race([running, sleep(CANCEL_PAUSE_MS)]);
      }
      await running;
    },
  };
}
