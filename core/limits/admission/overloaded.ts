import { Failure } from "../../errors/errors.ts";

/** The refusal of a request because too many others are in progress. It is no error of the service, and is not logged for each request. */
export class Overloaded extends Failure {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("UNAVAILABLE", `the service is overloaded: too many requests wait, try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
