import { LRUCache } from "lru-cache";
import { type Failure, messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";

/** Time between two lines with the same reason. */
const PAUSE_MS = 10_000;
const MAX_REASONS = 100;

/** Logs requests that fail because of the service. */
export interface FailureLog {
  /**
   * Logs a failed request with these fields. An `INTERNAL` failure may be a bug: its line is an error with the stack. Another one means that a
   * part of the service is not available: of each reason, one line in ten seconds is logged, with the number of `unloggedRequests` since the
   * line before.
   */
  failed(failure: Failure, fields: object): void;
}

/** `nowMs` is a clock in milliseconds since an arbitrary start. */
export function createFailureLog(logger: Logger, nowMs: () => number = () => performance.now()): FailureLog {
  const logged = new LRUCache<string, { readonly atMs: number; unloggedRequests: number }>({ max: MAX_REASONS });
  return {
    failed(failure, fields) {
      if (failure.code === "INTERNAL") {
        const err = failure.originalError ?? failure;
        logger.error({ ...fields, err }, "unexpected error while answering a request");
        return;
      }
      const reason = reasonOf(failure);
      const key = JSON.stringify(reason);
      const last = logged.get(key);
      const now = nowMs();
      if (last && now - last.atMs < PAUSE_MS) {
        last.unloggedRequests++;
        return;
      }
      logged.set(key, { atMs: now, unloggedRequests: 0 });
      const unlogged = last?.unloggedRequests ? { unloggedRequests: last.unloggedRequests } : {};
      logger.warn(
        { ...fields, ...reason, ...unlogged },
        "a request failed because a part of the service is not available",
      );
    },
  };
}

/** What a line says of a failure that is no bug. */
function reasonOf({ message, originalError }: Failure): object {
  return { reason: message, ...(originalError ? { cause: messageOf(originalError) } : {}) };
}
