import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../core/observability/logger.ts";
import { createOutageLog } from "../core/observability/outage-log.ts";

/**
 * Runs a task now, and again after each pause, also after a failure. The first of successive failures, and their end, are logged with
 * the task's name. Disposing it waits for the current run, and aborts the signal of the task.
 */
export function repeat(
  name: string,
  pauseMs: number,
  task: (end: AbortSignal) => Promise<void>,
  logger: Logger,
): AsyncDisposable {
  const end = new AbortController();
  const outage = createOutageLog({ logger, subject: name });
  const run = async () => {
    while (!end.signal.aborted) {
      await task(end.signal).then(outage.succeeded, (error: unknown) => {
        if (!end.signal.aborted) outage.failedBy(error);
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
