import { Failure } from "./errors.ts";

/** Longest time, in seconds, until a request is answered or a subscription has started. Collecting signatures may take almost as long. */
export const MAX_ANSWER_SECONDS = 120;

/** The failure of work that has taken longer. */
export function answerTookTooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_ANSWER_SECONDS} s`);
}
