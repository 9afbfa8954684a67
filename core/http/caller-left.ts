import type { ServerResponse } from "node:http";
import { Failure } from "../errors/errors.ts";
import { cancelWork, createWork, type Work } from "../work/work.ts";
import { onResponseClose } from "./response-close.ts";

/** The work of a response. A property takes less time than a WeakMap. */
const WORK = Symbol("work");

interface WithWork {
  [WORK]?: Work;
}

/**
 * Returns the work of answering a request over HTTP. It is cancelled when the connection closes before the response is complete, which
 * means that the caller waits no more.
 */
export function workOf(response: ServerResponse): Work {
  const known = (response as WithWork)[WORK];
  if (known) return known;
  const work = createWork();
  (response as WithWork)[WORK] = work;
  onResponseClose(response, cancelIfIncomplete);
  return work;
}

function cancelIfIncomplete(response: ServerResponse): void {
  if (!response.writableFinished) cancelAnswer(response, callerLeftFailure());
}

/** Cancels the work of answering a request, if it has any. The answer becomes the error. */
export function cancelAnswer(response: ServerResponse, reason: Failure): void {
  const work = (response as WithWork)[WORK];
  if (work) cancelWork(work, reason);
}

const CALLER_LEFT = new Failure("UNAVAILABLE", "the caller has closed the connection");

/**
 * The failure of work whose caller waits no more. Nobody receives it, so it is always the same: when a connection with hundreds of
 * subscriptions closes, to make one for each would take longer than to end them.
 */
export function callerLeftFailure(): Failure {
  return CALLER_LEFT;
}
