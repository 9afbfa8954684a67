import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { FAILURES, Failure } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { failureOfThrown, told } from "../graph/failures.ts";
import { discardBody, hasBody, readBody } from "../http/body.ts";
import type { Ask, Resource } from "./answer.ts";
import { CORS_HEADERS } from "./cors.ts";
import type { Router } from "./path.ts";
import { parseTarget } from "./query.ts";
import { failureReply, formOf, type MessageForm, type Reply, send, sendAndLinger } from "./reply.ts";

/** Answers a request, whatever it is; never throws. */
export type RestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HandlerContext {
  readonly router: Router<Resource>;
  /** Of errors that no resource answers for. */
  readonly form: MessageForm;
  readonly preflight: readonly string[];
  readonly logger: Logger;
  readonly bodyLimitBytes: number;
}

/** Most characters of path and query: room for 200 addresses. Node itself refuses headers above 16 KiB in all. */
const MAX_TARGET_LENGTH = 12_288;

export function createHandler(context: HandlerContext): RestHandler {
  return (request, response) => {
    const requestId = requestIdOf(request);
    const headers = ["x-request-id", requestId, ...CORS_HEADERS];
    if (request.method === "OPTIONS") response.writeHead(204, [...headers, ...context.preflight]).end();
    else void respond(context, request, response, { requestId, headers });
  };
}

/** The caller's own id when it can stand in a log line and a header. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}

type Opened = Pick<Ask, "requestId" | "headers">;

async function respond(
  context: HandlerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, headers }: Opened,
): Promise<void> {
  let form = context.form;
  try {
    const { path, query } = parseTarget(checkedUrl(request));
    if (hasBody(request)) await readBody(request, context.bodyLimitBytes);
    const match = context.router(path);
    if (match) form = formOf(match.resource.base);
    const answer = match?.resource.answers.get(methodOf(request));
    if (!match || !answer) throw new Failure("NOT_FOUND", `Cannot ${request.method} ${path}`);
    send(response, await answer({ request, requestId, values: match.values, query, headers }), headers);
  } catch (error) {
    const failure = failureOfThrown(error);
    if (response.destroyed) return;
    if (FAILURES[failure.code].http >= 500) logFailure(context.logger, failure, request, requestId);
    refuse(request, response, failureReply(told(failure, requestId), form), headers);
  }
}

function checkedUrl({ url = "/" }: IncomingMessage): string {
  if (url.length <= MAX_TARGET_LENGTH) return url;
  throw new Failure("INVALID_PARAMETER", `URL must be of at most ${MAX_TARGET_LENGTH} characters, got ${url.length}`);
}

/** HEAD is GET without the body, which Node leaves out by itself. */
function methodOf({ method }: IncomingMessage): string {
  return method === "HEAD" ? "GET" : (method ?? "GET");
}

function refuse(request: IncomingMessage, response: ServerResponse, reply: Reply, headers: readonly string[]): void {
  const isUnread = hasBody(request) && !request.complete;
  if (isUnread) discardBody(request, sendAndLinger(response, reply, headers));
  else send(response, reply, headers);
}

function logFailure(logger: Logger, failure: Failure, { method, url }: IncomingMessage, requestId: string): void {
  const line = { requestId, method, url, code: failure.code, err: failure.originalError ?? failure };
  if (failure.code === "INTERNAL") logger.error(line, "a request failed unexpectedly");
  else logger.warn(line, "a request could not be answered");
}
