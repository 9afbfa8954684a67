import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import { FAILURES, Failure } from "../../core/errors/errors.ts";
import type { JsonText } from "../../core/graph/answer-text.ts";
import { discardBody, hasBody, hasUnreadBody, readBody } from "../../core/http/body.ts";
import { type CompressedBody, compressFor, MIN_COMPRESSED_LENGTH } from "../../core/http/compression.ts";
import { workOf } from "../../core/http/connections.ts";
import { entityTag, isCurrent, REVALIDATE, setHeaders } from "../../core/http/headers.ts";
import { type HttpRoute, setRoute } from "../../core/http/observe-http.ts";
import { bodyOf, writeHead } from "../../core/http/response.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { answerInRequest, requestIdOf } from "../../core/observability/request-id.ts";
import type { FailureLog } from "../graph/failure-log.ts";
import { failureOfThrown, publicMessage } from "../graph/failures.ts";
import type { Base } from "../routes.ts";
import type { Answer, Reply } from "./answer.ts";
import { CORS_HEADERS } from "./cors.ts";
import { splitTarget } from "./path.ts";

/** Nobody knows when a part of the service is available again. */
const RETRY_AFTER_SECONDS = 1;

export interface ResponseContext {
  readonly failures: FailureLog;
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
      const refuse = () => sendError(error, request, response, { ...context, form, headers });
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
  readonly failures: FailureLog;
  readonly form: MessageForm;
  readonly headers: readonly string[];
}

/** Sends the documented error for anything thrown, and logs it if the service is at fault. */
export function sendError(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  { failures, form, headers }: ErrorContext,
): void {
  const failure = failureOfThrown(error);
  // The caller has gone.
  if (response.destroyed) return;
  const requestId = requestIdOf(request);
  if (FAILURES[failure.code].http >= 500 && !(failure instanceof Overloaded))
    failures.failed(failure, lineOf(failure, request, requestId));
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
function lineOf({ code }: Failure, { method, url }: IncomingMessage, requestId: string): object {
  return { requestId, method, path: splitTarget(url ?? "/").path, code };
}

/** How an error's `message` is written: as a string, or as an array of strings on metrics routes. */
export type MessageForm = "text" | "list";

export function formOf(base: Base): MessageForm {
  return base === "metrics" ? "list" : "text";
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonReply(status: number, text: JsonText): Reply {
  return { status, text, body: bodyOf(text) };
}

/** A JSON reply that the caller can revalidate. */
export function taggedReply(status: number, text: JsonText): Reply & { readonly etag: string } {
  const body = bodyOf(text);
  return { status, text, body, etag: entityTag(body) };
}

/** The reply to a caller who already has the reply with this tag. */
export function unchangedReply(etag: string): Reply {
  return { status: 304, text: "", body: "", etag };
}

/** The documented error body: `message`, `statusCode` and `error`. In the form `list`, `message` has an entry for each line. */
export function errorReply(code: Failure["code"], message: string, form: MessageForm): Reply {
  const { http, status } = FAILURES[code];
  const body = { message: form === "list" ? message.split("\n") : message, statusCode: http, error: status };
  return jsonReply(http, JSON.stringify(body));
}

/**
 * Sends a reply, compressed if it is long, with the headers that the response already has and `headers`, names and values
 * alternating. Answers 304 if the caller has the reply.
 */
export function send(response: ServerResponse, reply: Reply, headers: readonly string[]): void {
  const { req: request } = response;
  const { etag, text, body } = reply;
  if (etag && (reply.status === 304 || isCurrent(request, etag))) {
    writeHead(response, 304, [...REVALIDATED, ...headers, "etag", etag]).end();
    return;
  }
  const compressed = compressFor(request, text, body);
  if (compressed === null) sendBody(response, reply, headers, body);
  else if (compressed instanceof Promise) {
    const destroy = (error: Error) => response.destroy(error);
    compressed.then((result) => sendCompressed(response, reply, headers, result), destroy);
  } else sendCompressed(response, reply, headers, compressed);
}

function sendCompressed(
  response: ServerResponse,
  reply: Reply,
  headers: readonly string[],
  { encoding, body }: CompressedBody,
): void {
  // The caller has gone.
  if (response.destroyed) return;
  sendBody(response, reply, [...headers, "content-encoding", encoding], body);
}

function sendBody(response: ServerResponse, reply: Reply, headers: readonly string[], body: string | Buffer): void {
  writeHead(response, reply.status, headOf(reply, headers, body)).end(body);
}

/** Sends a reply with `connection: close`. Returns the function that ends the response, after which Node closes the connection. */
export function sendWithoutEnd(response: ServerResponse, reply: Reply, headers: readonly string[]): () => void {
  writeHead(response, reply.status, headOf(reply, [...headers, "connection", "close"], reply.body));
  response.write(reply.body);
  return () => void response.end();
}

/** A 304 has these headers like the 200 (RFC 9110, 15.4.5). Its length is not known, so short replies have `vary` too. */
const REVALIDATED = [...CORS_HEADERS, "cache-control", REVALIDATE, "vary", "accept-encoding"];
const NOT_STORED = [...CORS_HEADERS, "cache-control", "no-store"];

/** The headers of a response with this body, names and values alternating. */
function headOf({ text, etag }: Reply, headers: readonly string[], body: string | Buffer): string[] {
  const head = [...(etag ? REVALIDATED : NOT_STORED), "content-type", JSON_TYPE, ...headers];
  head.push("content-length", String(Buffer.byteLength(body)));
  if (etag) head.push("etag", etag);
  else if (text.length >= MIN_COMPRESSED_LENGTH) head.push("vary", "accept-encoding");
  return head;
}
