import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { ExecutionResult } from "graphql";
import { CALLER_HEADER } from "../../../core/access/api-keys.ts";
import { isJsonText, type JsonText } from "../../../core/answer-text/answer-text.ts";
import { Failure, graphQLErrorOf } from "../../../core/errors.ts";
import { discardBody, readBody } from "../../../core/http/body.ts";
import { bodyOf, endWithBody } from "../../../core/http/body-bytes.ts";
import { SharedHeaders, writeHead } from "../../../core/http/response.ts";
import { ERRORS_HEADER, NO_ERRORS } from "../../../core/http/subgraph-headers.ts";
import type { Logger } from "../../../core/logger.ts";
import { httpRoute, setRoute } from "../../../core/observability/observe-http.ts";
import { requestIdOf } from "../../../core/observability/request-id.ts";
import { checkedCaller } from "./caller.ts";
import type { KnownQueries } from "./known-queries.ts";
import { publicErrors } from "./public-error.ts";

export const PATH = "/graphql";
export const ROUTE = httpRoute(PATH);

/** Longer bodies are left to Apollo Server. */
const MAX_BODY_BYTES = 1 << 18;

interface DirectAnswers {
  readonly queries: KnownQueries;
  contextOf(requestId: string, caller: string | undefined): unknown;
  readonly logger: Logger;
}

/**
 * Returns a handler that answers known queries, and passes all other requests to `next`. Apollo Server needs more processor time for HTTP
 * than most queries for their data.
 */
export function answeringKnownQueries(next: RequestListener, direct: DirectAnswers): RequestListener {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    setRoute(response, ROUTE);
    const bytes = await readBody(request, MAX_BODY_BYTES).catch((error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    });
    if (bytes instanceof Failure) return refuseBody(request, response, bytes);
    const body = parsed(bytes);
    if (body === undefined) return sendResult(response, 400, badRequest("the body must be JSON"));
    if (await answerDirectly(body, request, response, direct)) return;
    // The parser of bodies leaves a request alone whose body was read.
    Object.assign(request, { body });
    next(request, response);
  };
  return (request, response) => {
    if (!isPlain(request)) return next(request, response);
    answer(request, response).catch((error: unknown) => {
      direct.logger.warn(
        { requestId: requestIdOf(request), err: error },
        "a request of the gateway cannot be answered",
      );
      response.destroy();
    });
  };
}

/** True for a request that Apollo Server would answer with plain JSON. */
function isPlain({ method, url, headers }: IncomingMessage): boolean {
  const { accept = "*/*" } = headers;
  return (
    method === "POST" &&
    url === PATH &&
    Number(headers["content-length"]) <= MAX_BODY_BYTES &&
    (headers["content-type"] ?? "").startsWith("application/json") &&
    headers["content-encoding"] === undefined &&
    headers["apollo-federation-include-trace"] === undefined &&
    (accept === "*/*" || accept === "application/json")
  );
}

function badRequest(message: string): object {
  return { errors: [{ message, extensions: { code: "BAD_REQUEST" } }] };
}

/** Refuses a body of which not everything may have arrived. */
function refuseBody(request: IncomingMessage, response: ServerResponse, { message }: Failure): void {
  response.setHeader("connection", "close");
  discardBody(request, () => sendResult(response, 413, badRequest(message)));
}

/** Undefined if the body is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** False if the query is not known, or if Apollo Server has to name what is wrong with the request. */
async function answerDirectly(
  body: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  { queries, contextOf, logger }: DirectAnswers,
): Promise<boolean> {
  const { query, variables = {}, operationName = null, extensions } = Object(body) as Record<string, unknown>;
  if (typeof query !== "string" || extensions !== undefined) return false;
  if (typeof variables !== "object" || variables === null || Array.isArray(variables)) return false;
  if (typeof operationName !== "string" && operationName !== null) return false;
  const run = queries.find(query, operationName);
  const caller = run && callerOf(request);
  if (!run || caller === null) return false;
  const result = await run(variables as Record<string, unknown>, contextOf(requestIdOf(request), caller)).catch(
    (error: unknown): ExecutionResult => ({ data: null, errors: [graphQLErrorOf(error)] }),
  );
  // Nothing has run if there are no data: a variable does not fit its type.
  if (!isJsonText(result) && result.data === undefined) return false;
  if (isJsonText(result)) send(response, 200, result, NO_ERRORS_HEAD);
  else {
    const { data, errors = [] } = result;
    sendResult(response, 200, { errors: publicErrors(errors, requestIdOf(request), logger), data });
  }
  return true;
}

/** Null if the header is not a name that the gateway makes. */
function callerOf({ headers }: IncomingMessage): string | undefined | null {
  try {
    return checkedCaller(headers[CALLER_HEADER]);
  } catch {
    return null;
  }
}

const HEAD = ["content-type", "application/json; charset=utf-8", "cache-control", "no-store"];
const RESULT_HEAD = new SharedHeaders(HEAD);
const NO_ERRORS_HEAD = new SharedHeaders([...HEAD, ERRORS_HEADER, NO_ERRORS]);

function sendResult(response: ServerResponse, status: number, result: object): void {
  send(response, status, JSON.stringify(result), RESULT_HEAD);
}

function send(response: ServerResponse, status: number, text: JsonText, head: SharedHeaders): void {
  // The gateway has gone.
  if (response.destroyed) return;
  const body = bodyOf(text);
  endWithBody(writeHead(response, status, ["content-length", String(Buffer.byteLength(body))], head), body);
}
