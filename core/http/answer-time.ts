import { Failure } from "../errors/errors.ts";

/**
 * Time, in seconds, after which work on a request that is not answered, or on a subscription that has not started, is cancelled. The time
 * of requests over HTTP is checked every few seconds. Collecting signatures may take almost as long.
 */
export const MAX_ANSWER_SECONDS = 120;

/** The failure of work that has taken longer. */
export function answerTookTooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_ANSWER_SECONDS} s`);
}
