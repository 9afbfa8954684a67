import { messageOf } from "../../../core/errors/errors.ts";
import { createBackground } from "../../shared/background.ts";
import type { MaintenanceSession } from "../../shared/maintenance-session.ts";
import { type RebuildSettings, rebuildAfterCatchUp } from "./rebuild-after-catch-up.ts";
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

/**
 * Shares the session with the other chains of the process. A task that is due while another one of this chain waits or runs is left out. A
 * task that fails is logged and does not stop the indexing. Vacuuming is tried again after the next batch, and the rebuilding of indexes
 * after ten minutes. Disposing it cancels the statement that runs.
 */
export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { session, chainId, logger, nowMs = performance.now.bind(performance) } = deps;
  const vacuum = createVacuum(chainId, nowMs);
  const background = createBackground(session);
  const { signal } = background;
  /** True at the start, too: an earlier process may have been interrupted. */
  let mayRebuild = true;
  let rebuildAtMs = Number.NEGATIVE_INFINITY;

  const fail = (error: unknown): void => {
    mayRebuild = true;
    rebuildAtMs = nowMs() + RETRY_MS;
    logger.warn({ chainId, err: error }, `the maintenance of the tables failed: ${messageOf(error)}`);
  };
  return {
    afterBatch() {
      mayRebuild = true;
      background.start((use) => use((client) => vacuum(client, signal)), fail);
    },
    atHead() {
      if (!mayRebuild || background.isRunning || nowMs() < rebuildAtMs) return;
      mayRebuild = false;
      background.start((use) => use((client) => rebuildAfterCatchUp(client, { ...deps, signal })), fail);
    },
    [Symbol.asyncDispose]: () => background[Symbol.asyncDispose](),
  };
}
