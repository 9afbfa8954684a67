import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { WorkerProcess } from "./worker-process.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

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

/**
 * Keeps one worker process running from the first job on. After an unexpected end, a new one starts if it is needed: after
 * half a second, and after twice the time for each further process that lasts less than a minute.
 */
export function keepWorker({ fork, isNeeded, logger }: KeepOptions): KeptWorker {
  const end = new AbortController();
  let pauseMs = FIRST_PAUSE_MS;
  /** Settles when the process has ended and the pause after it is over. */
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    const startedAt = performance.now();
    const reason = await runOnce(fork, end.signal).catch(messageOf);
    if (end.signal.aborted) return;
    if (performance.now() - startedAt > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
    logger.warn({ reason, pauseMs }, `the process that runs exports has ended (${reason}); a new one starts if needed`);
    await sleep(pauseMs, null, { signal: end.signal }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
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

/** Runs a worker process until it ends, and returns how it ended. Aborting the signal ends it. */
async function runOnce(fork: KeepOptions["fork"], end: AbortSignal): Promise<string> {
  const worker = fork();
  const onEnd = () => worker.end();
  end.addEventListener("abort", onEnd, { once: true });
  const reason = await worker.ended;
  end.removeEventListener("abort", onEnd);
  return reason;
}
