import { Logger as QueueLogger } from "graphile-worker";
import type { ExportJob } from "../../core/database/operations.ts";
import { isOutage } from "../../core/errors/outage.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { OutageLog } from "../../core/observability/outage-log.ts";

/** A job that is returned to the queue. The queue logs it as a failure; `createQueueLogger` lowers that line to debug. */
export class JobReturned extends Error {}

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** The members of a line of the queue that are read. */
interface QueueLine {
  readonly error?: unknown;
  /** Why the end of a job could not be stored. */
  readonly fatalError?: unknown;
  readonly job?: { readonly payload?: unknown };
}

/**
 * Forwards the log lines of the job queue. Its errors become warnings, because it retries; the exporter logs what ends an
 * export. The queue writes several lines for each lost connection, so `outage` gets those about an outage of the database.
 */
export function createQueueLogger(logger: Logger, outage: Pick<OutageLog, "failedBy">): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta) => {
    const { fatalError, error = fatalError, job } = { ...meta } as QueueLine;
    if (isOutage(error)) return outage.failedBy(error);
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
