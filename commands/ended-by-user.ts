import { constants } from "node:os";
import { ExpectedError } from "../core/errors/expected-error.ts";

/** A signal of the system has ended the command. */
class Interrupted extends ExpectedError {
  constructor(
    message: string,
    override readonly exitCode: number,
  ) {
    super(message);
  }
}

/** Aborted with this message when the user or the system asks the command to end. The exit code is 128 and the number of the signal. */
export function endedByUser(message: string): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => stop.abort(new Interrupted(message, 128 + constants.signals[signal])));
  return stop.signal;
}
