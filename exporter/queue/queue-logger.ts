import { Logger as QueueLogger } from "graphile-worker";
import type { Logger } from "../../core/logger.ts";

/** A job that is returned to the queue. The queue logs it as a failure; `createQueueLogger` lowers that line to debug. */
export class JobReturned extends Error {}

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/**
 * Forwards the log lines of the job queue. Its errors become warnings, because it retries; the exporter logs what ends an
 * export.
 */
export function createQueueLogger(logger: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    const { error } = { ...meta } as { readonly error?: unknown };
    const isReturned = error instanceof JobReturned;
    logger[isReturned ? "debug" : LEVELS[level]](
      { ...scope, ...(error && !isReturned ? { err: error } : {}) },
      message,
    );
  });
}
