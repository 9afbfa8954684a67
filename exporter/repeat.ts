import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";

/**
 * Runs a task now, and again after each pause. A failure is logged with the task's name; the next run follows nevertheless.
 * Disposing it waits for the current run, and aborts the signal of the task.
 */
export function repeat(
  name: string,
  pauseMs: number,
  task: (end: AbortSignal) => Promise<void>,
  logger: Logger,
): AsyncDisposable {
  const end = new AbortController();
  const run = async () => {
    while (!end.signal.aborted) {
      await task(end.signal).catch((error: unknown) => {
        if (end.signal.aborted) return;
        logger.warn({ err: error }, `${name} failed, and is tried again: ${messageOf(error)}`);
      });
      await sleep(pauseMs, null, { signal: end.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
