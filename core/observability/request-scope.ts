import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import { workOf } from "../caller-left.ts";
import type { ConcurrencyLimit } from "../concurrency-limit.ts";
import type { Work } from "../work/work.ts";
import { currentTrace } from "./tracing.ts";

/** The place of a light operation. */
export interface ExchangeablePlace {
  /**
   * Waits until the operation has a place of a heavy one, and rejects if it gets none. To be called when a statement has returned much, with the
   * number of characters of its rows, and to be waited for before these are used.
   */
  becomeHeavy(characters: number): Promise<void>;
}

/** The request for which code runs. */
export interface RequestScope {
  readonly requestId: string;
  /** Statements of cancelled work are not sent, and those that run are cancelled. */
  readonly work: Work;
  /** True while a heavy operation runs; see `runHeavy`. */
  readonly isHeavy: boolean;
  /** Present while a light operation runs; see `runEntered`. */
  place?: ExchangeablePlace | undefined;
  /** Limits the prepared statements that run at the same time. Absent: only the pool limits them. */
  readonly statements?: ConcurrencyLimit | undefined;
  /** Waits for the turn of an event. Only the source of the events of a subscription calls it; see `eventsInTurns`. */
  beginEvent?(): Promise<void>;
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Runs work of a request. Every line that it logs, also later, has the request's id, and its statements are bound to the work. */
export function runInRequest<Result>(requestId: string, work: Work, run: () => Result): Result {
  return scopes.run({ requestId, work, isHeavy: false }, run);
}

/**
 * Answers a request over HTTP as the present request. In a server that is not Moraine's own, which does not know requests, one
 * begins.
 */
export function answerInRequest<Result>(requestId: string, response: ServerResponse, answer: () => Result): Result {
  return scopes.getStore() ? answer() : runInRequest(requestId, workOf(response), answer);
}

/** Runs a part of a request, with properties of its own. Undefined: the part is not done for one request. */
export function runInScope<Result>(scope: RequestScope | undefined, run: () => Result): Result {
  return scopes.run(scope, run);
}

/**
 * Runs something that a request starts but that is not done for this request alone, such as a connection for notifications. It goes on
 * when the caller leaves.
 */
export function runForAll<Result>(run: () => Result): Result {
  return scopes.getStore() === undefined ? run() : scopes.run(undefined, run);
}

/** The request for which this code runs; undefined outside of requests. */
export function currentScope(): RequestScope | undefined {
  return scopes.getStore();
}

/** The id of the request for which this code runs; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return scopes.getStore()?.requestId;
}

/** What a log line says about the request, and the span, in which it is written. */
export function logFields(): object {
  const scope = scopes.getStore();
  return scope === undefined ? { ...currentTrace() } : { requestId: scope.requestId, ...currentTrace() };
}
