import { Logger as QueueLogger } from "graphile-worker";
import type { Logger } from "../../core/logger.ts";
import type { ExportJob } from "../../core/operations.ts";

/** A job that is returned to the queue. The queue logs it as a failure; `createQueueLogger` lowers that line to debug. */
export class JobReturned extends Error {}

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/**
 * Forwards the log lines of the job queue. Its errors become warnings, because it retries; the exporter logs what ends an
 * export.
 */
export function createQueueLogger(logger: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    const { error, job } = { ...meta } as { readonly error?: unknown; readonly job?: { readonly payload?: unknown } };
    const isReturned = error instanceof JobReturned;
    logger[isReturned ? "debug" : LEVELS[level]](
      { ...scope, ...operationOf(job?.payload), ...(error && !isReturned ? { err: error } : {}) },
      message,
    );
  });
}

/** The export of a job, as log lines name it. Empty for a line that is not about a job. */
function operationOf(payload: unknown): object {
  const { operationId } = Object(payload) as Partial<ExportJob>;
  return operationId === undefined ? {} : { operationId };
}
