import { Failure } from "../../errors/errors.ts";

/** The refusal of a request because too many others are in progress. It is no error of the service, and is not logged for each request. */
export class Overloaded extends Failure {
  readonly retryAfterSeconds: number;
  /** Resolves when the refusal may be answered; null: at once. Nothing of the request but its answer should wait: there may be thousands. */
  readonly delay: Promise<void> | null;

  constructor(retryAfterSeconds: number, delay: Promise<void> | null = null) {
    super("UNAVAILABLE", `the service is overloaded: too many requests wait, try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
    this.delay = delay;
  }
}
