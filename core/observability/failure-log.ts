import { LRUCache } from "lru-cache";
import type { Logger } from "./logger.ts";

/** Time between two lines with the same reason. */
const PAUSE_MS = 10_000;
const MAX_REASONS = 100;

/** Logs requests that fail because a part of the service is not available: one of each reason in ten seconds. */
export interface FailureLog {
  /**
   * Logs a failed request with its reason and other fields, unless one with the same reason was logged in the last ten seconds. A line has the
   * number of `unloggedRequests` with its reason since the line before.
   */
  failed(reason: object, fields: object): void;
}

/** `nowMs` is a clock in milliseconds since an arbitrary start. */
export function createFailureLog(logger: Logger, nowMs: () => number = () => performance.now()): FailureLog {
  const logged = new LRUCache<string, { readonly atMs: number; unloggedRequests: number }>({ max: MAX_REASONS });
  return {
    failed(reason, fields) {
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
