import { AsyncLocalStorage } from "node:async_hooks";
import { currentTrace } from "./tracing.ts";

/** The id of the request for which code runs. Only log lines and calls to other processes use it. */
const requestIds = new AsyncLocalStorage<string | undefined>();

/** Runs a part of a request. Every line that it logs, also later, has the request's id. */
export function runInRequest<Result>(requestId: string, run: () => Result): Result {
  return requestIds.run(requestId, run);
}

/** Answers a request as the present one. In a server that is not Moraine's own, which does not know requests, one begins. */
export function answerInRequest<Result>(requestId: string, answer: () => Result): Result {
  return requestIds.getStore() === undefined ? runInRequest(requestId, answer) : answer();
}

/** Runs something that a request starts but that is not a part of it, such as a connection for notifications. */
export function runOutsideRequests<Result>(run: () => Result): Result {
  return requestIds.run(undefined, run);
}

/** The id of the request for which this code runs; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}

/** What a log line says about the request, and the span, in which it is written. */
export function logFields(): object {
  const requestId = requestIds.getStore();
  return requestId === undefined ? { ...currentTrace() } : { requestId, ...currentTrace() };
}
