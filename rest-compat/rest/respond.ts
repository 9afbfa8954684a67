import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import { FAILURES, Failure } from "../../core/errors/errors.ts";
import { discardBody, hasBody, hasUnreadBody, readBody } from "../../core/http/body.ts";
import { workOf } from "../../core/http/caller-left.ts";
import { setHeaders } from "../../core/http/headers.ts";
import { type HttpRoute, setRoute } from "../../core/http/observe-http.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { requestIdOf } from "../../core/observability/request-id.ts";
import { answerInRequest } from "../../core/observability/request-scope.ts";
import { failureOfThrown, publicMessage } from "../graph/failures.ts";
import type { Answer } from "./answer.ts";
import { CORS_HEADERS } from "./cors.ts";
import { splitTarget } from "./path.ts";
import { errorReply, type MessageForm, send, sendWithoutEnd } from "./reply.ts";

/** Nobody knows when a part of the service is available again. */
const RETRY_AFTER_SECONDS = 1;

export interface ResponseContext {
  readonly logger: Logger;
  readonly bodyLimitBytes: number;
  /** The route under which requests are counted in the metrics for Prometheus. Not set for unknown paths. */
  readonly route?: HttpRoute;
  /** The rate limit headers of a request whose body is refused. Default: none. */
  readonly limitHeadersOf?: LimitHeadersOf | undefined;
}

/** A handler for Express that sends what `answer` returns, or the documented error if it throws. */
export function respondWith(answer: Answer, form: MessageForm, context: ResponseContext): RequestHandler {
  const respond = async (request: Request, response: Response) => {
    const headers: string[] = [];
    if (context.route) setRoute(response, context.route);
    try {
      const isUnread = hasBody(request) && !request.readableEnded;
      const body = isUnread ? await readLimited(request, headers, context) : null;
      const { params, url } = request;
      const at = url.indexOf("?");
      const query = at < 0 ? "" : url.slice(at + 1);
      // Parameters are strings, because no path of ours has a wildcard.
      const stringParams = params as Record<string, string>;
      const reply = await answer({
        request,
        requestId: requestIdOf(request),
        work: workOf(response),
        params: stringParams,
        query,
        body,
        headers,
      });
      if (!("document" in reply)) {
        send(response, reply, headers);
        return;
      }
      setHeaders(response, CORS_HEADERS);
      await reply.document.send(request, response);
    } catch (error) {
      const refuse = () => sendError(error, request, response, { logger: context.logger, form, headers });
      // Without `await`, which would keep all of this while it waits.
      if (error instanceof Overloaded && error.delay) void error.delay.then(refuse);
      else refuse();
    }
  };
  return (request, response) => answerInRequest(requestIdOf(request), () => respond(request, response));
}

/** Reads the body. If it is refused, appends the rate limit headers to `headers`: such a request costs nothing. */
async function readLimited(
  request: Request,
  headers: string[],
  { bodyLimitBytes, limitHeadersOf }: ResponseContext,
): Promise<Buffer> {
  try {
    return await readBody(request, bodyLimitBytes);
  } catch (error) {
    headers.push(...(limitHeadersOf?.(request) ?? []));
    throw error;
  }
}

export interface ErrorContext {
  readonly logger: Logger;
  readonly form: MessageForm;
  readonly headers: readonly string[];
}

/** Sends the documented error for anything thrown, and logs it if the service is at fault. */
export function sendError(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  { logger, form, headers }: ErrorContext,
): void {
  const failure = failureOfThrown(error);
  // The caller has gone.
  if (response.destroyed) return;
  const requestId = requestIdOf(request);
  if (FAILURES[failure.code].http >= 500 && !(failure instanceof Overloaded))
    logFailure(logger, failure, request, requestId);
  const reply = errorReply(failure.code, publicMessage(failure, requestId), form);
  const seconds = failure instanceof Overloaded ? failure.retryAfterSeconds : RETRY_AFTER_SECONDS;
  const all = failure.code === "UNAVAILABLE" ? [...headers, "retry-after", String(seconds)] : headers;
  if (hasUnreadBody(request)) discardBody(request, sendWithoutEnd(response, reply, all));
  else send(response, reply, all);
}

/** Makes the answer that refuses any request: nothing answers this method at this path. */
export function createNotFound(limitHeadersOf: LimitHeadersOf): Answer {
  return ({ request, headers }) => {
    headers.push(...limitHeadersOf(request));
    const { originalUrl, baseUrl, method } = request as Request; // set by Express before it calls a handler
    throw new Failure("NOT_FOUND", `Cannot ${method} ${splitTarget(originalUrl).path.slice(baseUrl.length)}`);
  };
}

/** The query is not logged: it may contain page tokens, and secrets that callers put there by mistake. */
function logFailure(logger: Logger, failure: Failure, { method, url }: IncomingMessage, requestId: string): void {
  const line = {
    requestId,
    method,
    path: splitTarget(url ?? "/").path,
    code: failure.code,
    // The stack of a failure without a cause says no more than its message.
    ...(failure.originalError || failure.code === "INTERNAL"
      ? { err: failure.originalError ?? failure }
      : { reason: failure.message }),
  };
  if (failure.code === "INTERNAL") logger.error(line, "unexpected error while answering a request");
  else logger.warn(line, "a request failed because a part of the service is not available");
}
