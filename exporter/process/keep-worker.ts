import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { waitForEnd } from "../../core/processes/child-process.ts";
import { createRestartPauses } from "../../core/processes/restart-pauses.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface KeepOptions {
  readonly fork: () => WorkerProcess;
  /** True if there are jobs. */
  readonly isNeeded: () => Promise<boolean>;
  readonly logger: Logger;
}

/** Disposing it ends the worker process. */
export interface KeptWorker extends AsyncDisposable {
  /** Starts the worker process if it is needed and does not run. */
  check(): Promise<void>;
}

/** Keeps one worker process running from the first job on. After an unexpected end and a pause, a new one starts if it is needed. */
export function keepWorker({ fork, isNeeded, logger }: KeepOptions): KeptWorker {
  const end = new AbortController();
  const pauses = createRestartPauses();
  const runOnce = async () => waitForEnd(fork(), end.signal);
  /** Settles when the process has ended and the pause after it is over. */
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    const startedAt = performance.now();
    const reason = await runOnce().catch(messageOf);
    if (end.signal.aborted) return;
    const pauseMs = pauses.nextMs(performance.now() - startedAt);
    logger.warn({ reason, pauseMs }, `the process that runs exports has ended (${reason}); a new one starts if needed`);
    await sleep(pauseMs, null, { signal: end.signal }).catch(() => {});
  };
  const check = async (): Promise<void> => {
    if (running || end.signal.aborted || !(await isNeeded()) || running || end.signal.aborted) return;
    running = run().finally(() => {
      running = null;
      // If the database is not available, the caller checks again later.
      check().catch((error: unknown) => {
        logger.debug({ err: error }, `could not check for running exports: ${messageOf(error)}`);
      });
    });
  };
  return {
    check,
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
