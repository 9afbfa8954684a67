import { AsyncLocalStorage } from "node:async_hooks";
import { currentTrace } from "./tracing.ts";

const requestIds = new AsyncLocalStorage<string>();

/** Runs work of a request. Every line that it logs, also later, has the request's id. */
export function runInRequest<Result>(requestId: string, run: () => Result): Result {
  return requestIds.run(requestId, run);
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
