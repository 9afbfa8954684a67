import { type ConcurrencyLimit, createConcurrencyLimit } from "../../core/async/concurrency-limit.ts";
import { Failure } from "../../core/errors/errors.ts";

/** Limits the collections of different messages. If too many wait, further ones fail with `UNAVAILABLE`. */
export function createCollectionLimit(maxConcurrent: number, maxWaiting: number): ConcurrencyLimit {
  const fullError = () =>
    new Failure(
      "UNAVAILABLE",
      `signatures of ${maxConcurrent} other messages are being collected, and ${maxWaiting} requests wait; try again later`,
    );
  return createConcurrencyLimit(maxConcurrent, { maxWaiting, fullError });
}
