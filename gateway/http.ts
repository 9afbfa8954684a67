import type { IncomingMessage, ServerResponse } from "node:http";
import type { LimitHeadersOf } from "../core/access/limit-headers.ts";
import { RATE_LIMIT_HEADERS } from "../core/access/rate-limit.ts";
import { Overloaded } from "../core/admission/overloaded.ts";
import { Failure, type FailureCode, graphQLErrorBody } from "../core/errors.ts";
import { discardBody, readBody } from "../core/http/body.ts";
import { setHeaders } from "../core/http/headers.ts";
import { countRejection } from "../core/observability/rejections.ts";
import { REQUEST_ID_HEADER } from "../core/observability/request-id.ts";
import { acceptsAnswers } from "./direct/accepted-type.ts";

const NOT_ACCEPTABLE =
  "Accept must allow application/graphql-response+json, application/json or, for subscriptions, text/event-stream";

const UNSUPPORTED_TYPE =
  "the content type must be application/json, or application/graphql for a document without variables";

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Default: `INVALID_PARAMETER`. */
  readonly code?: FailureCode;
}

export interface BodyRules {
  readonly bodyLimitBytes: number;
  readonly limitHeadersOf: LimitHeadersOf;
}

/**
 * Answers a request that must not reach the GraphQL runtime, because of the type or size of its body or because it accepts no type of
 * answer, and returns true. Returns false for every other request.
 */
export function refuseEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyLimitBytes, limitHeadersOf }: BodyRules,
): boolean {
  const refusal = refusalOf(request, bodyLimitBytes);
  if (!refusal) return false;
  setHeaders(response, limitHeadersOf(request));
  countRejection("body");
  sendRefusal(response, refusal).end();
  return true;
}

/** Reads the body of a request for GraphQL. Returns null if the request is refused because of its body, or if the client has left. */
export async function readOperation(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyLimitBytes, limitHeadersOf }: BodyRules,
): Promise<Buffer | null> {
  try {
    return await readBody(request, bodyLimitBytes);
  } catch (error) {
    if (!(error instanceof Failure) || response.destroyed) return null;
    setHeaders(response, limitHeadersOf(request));
    const { message, code } = error;
    if (error instanceof Overloaded) response.setHeader("retry-after", String(error.retryAfterSeconds));
    sendRefusal(response, { status: code === "UNAVAILABLE" ? 503 : 413, message, code });
    discardBody(request, () => response.end());
    return null;
  }
}

function refusalOf({ method, headers }: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  // The runtime would look at the header only after the operation has run.
  if (method !== "OPTIONS" && !acceptsAnswers(headers.accept)) return { status: 406, message: NOT_ACCEPTABLE };
  if (method === "POST" && !isPreflighted(headers["content-type"])) return { status: 415, message: UNSUPPORTED_TYPE };
  return Number(headers["content-length"] ?? 0) > bodyLimitBytes
    ? { status: 413, message: `the body must be of at most ${bodyLimitBytes} bytes` }
    : null;
}

/**
 * True for a media type that a web page of another origin can send only after a preflight. The runtime would also read forms, which a
 * page of any origin can send without a preflight, and so start a mutation that the user did not request.
 */
function isPreflighted(contentType = ""): boolean {
  return /^application\/(json|graphql|graphql\+json)\s*(;|$)/i.test(contentType);
}

/** Sends a refusal, but does not end the response. */
function sendRefusal(
  response: ServerResponse,
  { status, message, code = "INVALID_PARAMETER" }: Refusal,
): ServerResponse {
  const text = graphQLErrorBody(code, message);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": [REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS].join(","),
    connection: "close",
  });
  response.write(text);
  return response;
}
