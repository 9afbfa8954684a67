import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { currentTrace } from "./observe.ts";

export const REQUEST_ID_HEADER = "x-request-id";

/** The given id if it is safe to write into a log line and a header, else a new one. */
export function safeRequestId(given: unknown): string {
  return typeof given === "string" && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}

const ID = Symbol("requestId");

interface IdentifiedRequest {
  readonly headers: IncomingHttpHeaders;
  [ID]?: string;
}

/** The id of a request, which replaces an unsafe or missing one in its headers: every later call returns the same. */
export function requestIdOf(request: { readonly headers: IncomingHttpHeaders }): string {
  const identified = request as IdentifiedRequest;
  identified[ID] ??= replaceId(identified.headers);
  return identified[ID];
}

function replaceId(headers: IncomingHttpHeaders): string {
  const given = headers[REQUEST_ID_HEADER];
  const id = safeRequestId(given);
  if (id !== given) headers[REQUEST_ID_HEADER] = id;
  return id;
}

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
