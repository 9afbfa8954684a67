import type { ServerResponse } from "node:http";
import { Failure } from "./errors.ts";

/**
 * Returns a signal that is aborted when the connection of a response closes before the response is complete, which means that the
 * caller waits no more.
 */
export function callerLeftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort(callerLeftFailure());
  };
  if (response.destroyed) abort();
  else response.once("close", abort);
  return controller.signal;
}

/** The failure of work whose caller waits no more. Nobody receives it. */
export function callerLeftFailure(): Failure {
  return new Failure("UNAVAILABLE", "the caller has closed the connection");
}
