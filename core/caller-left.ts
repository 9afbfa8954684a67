import type { ServerResponse } from "node:http";
import { Failure } from "./errors.ts";
import { cancelWork, createWork, type Work } from "./work/work.ts";

/**
 * Returns the work of answering a request over HTTP. It is cancelled when the connection closes before the response is complete, which
 * means that the caller waits no more. Called once for each response.
 */
export function workOf(response: ServerResponse): Work {
  const work = createWork();
  const onClose = () => {
    if (!response.writableFinished) cancelWork(work, callerLeftFailure());
  };
  if (response.destroyed) onClose();
  else response.once("close", onClose);
  return work;
}

/** The failure of work whose caller waits no more. Nobody receives it. */
export function callerLeftFailure(): Failure {
  return new Failure("UNAVAILABLE", "the caller has closed the connection");
}
