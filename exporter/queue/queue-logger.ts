import { Logger as QueueLogger } from "graphile-worker";
import type { Logger } from "../../core/logger.ts";

/** A job that is returned to the queue. The queue treats it as failed, and logs it; that is not worth a line of ours. */
export class JobReturned extends Error {}

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** Passes what the job queue logs on. Its errors are warnings here: it retries, and what ends an export is logged by us. */
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
