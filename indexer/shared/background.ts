import { setTimeout as sleep } from "node:timers/promises";
import type { MaintenanceSession, MaintenanceTask } from "./maintenance-session.ts";

/** Runs a task in the maintenance session when no other task has it. Rejects if the background is disposed. */
export type UseSession = <Result>(task: MaintenanceTask<Result>) => Promise<Result>;

/** Work of a chain that runs beside its indexing, one piece at a time. Disposing it ends the work that runs. */
export interface Background extends AsyncDisposable {
  readonly isRunning: boolean;
  /** Aborts when the background is disposed. */
  readonly signal: AbortSignal;
  /** Starts work unless other work runs. Returns at once. A failure of the work is passed to `fail`, unless the background is disposed. */
  start(work: (use: UseSession) => Promise<void>, fail: (error: unknown) => void): void;
}

/** A statement that is cancelled ends within milliseconds, unless the connection is lost. */
const CANCEL_ATTEMPTS = 5;
const CANCEL_PAUSE_MS = 500;

/** Shares the session with the work of the other chains of the process. Disposing it cancels the statement that runs. */
export function createBackground(session: MaintenanceSession): Background {
  const stop = new AbortController();
  const { signal } = stop;
  /** True while a task of this background has the session. */
  let hasSession = false;
  let running: Promise<void> | null = null;
  const use: UseSession = (task) =>
    session.run(async (client) => {
      signal.throwIfAborted();
      hasSession = true;
      try {
        return await task(client);
      } finally {
        hasSession = false;
      }
    }, signal);
  return {
    signal,
    get isRunning() {
      return running !== null;
    },
    start(work, fail) {
      if (signal.aborted || running) return;
      running = work(use)
        .catch((error: unknown) => {
          if (!signal.aborted) fail(error);
        })
        .finally(() => {
          running = null;
        });
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the work in the background ends"));
      // A cancellation between two statements has no effect.
      for (let attempt = 0; running && attempt < CANCEL_ATTEMPTS; attempt++) {
        if (hasSession) await session.cancel();
        await Promise.race([running, sleep(CANCEL_PAUSE_MS)]);
      }
      await running;
    },
  };
}
