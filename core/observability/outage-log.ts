import { messageOf } from "../errors/errors.ts";
import { isOutage } from "../errors/outage.ts";
import type { Logger } from "./logger.ts";

/** Logs that something fails repeatedly: its first failure, and the end of the outage. */
export interface OutageLog {
  /** Logs the first failure with these fields. Further failures are only counted until `succeeded` is called. */
  failed(fields: object, reason: string): void;
  /** As `failed`, with the message of an error. Its stack is logged only if it may be a bug, and not an outage of the database. */
  failedBy(error: unknown): void;
  /** Ends the outage, and logs its duration and the number of its failures. Does nothing if there is no outage. */
  succeeded(): void;
}

export interface OutageLogOptions {
  readonly logger: Logger;
  /** What fails, as the subject of log lines, such as `the exporter's queue`. */
  readonly subject: string;
  /** Level of the line about the first failure. Default: `warn`. */
  readonly level?: "warn" | "error";
  /** Fields of every line. */
  readonly ids?: object;
  /** Milliseconds since an arbitrary start. Default: the system's clock. */
  readonly nowMs?: () => number;
}

export function createOutageLog({
  logger,
  subject,
  level = "warn",
  ids = {},
  nowMs = () => performance.now(),
}: OutageLogOptions): OutageLog {
  let outage: { readonly sinceMs: number; failures: number } | null = null;
  const failed = (fields: object, reason: string): void => {
    if (outage) {
      outage.failures++;
      return;
    }
    outage = { sinceMs: nowMs(), failures: 1 };
    logger[level]({ ...ids, ...fields, reason }, `${subject} fails and is tried again: ${reason}`);
  };
  return {
    failed,
    failedBy: (error) => failed(isOutage(error) ? {} : { err: error }, messageOf(error)),
    succeeded() {
      if (!outage) return;
      const { sinceMs, failures } = outage;
      outage = null;
      const seconds = Math.round((nowMs() - sinceMs) / 1_000);
      logger.info({ ...ids, seconds, failures }, `${subject} works again after ${seconds} s and ${failures} failures`);
    },
  };
}
