import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, type FailureCode, graphQLErrorBody } from "../../core/errors/errors.ts";
import { discardBody, readBody } from "../../core/http/body.ts";
import { DamagedBody, decodedBody, unsupportedEncoding } from "../../core/http/encoded-body.ts";
import { setHeaders } from "../../core/http/headers.ts";
import type { LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import { acceptedBy } from "./media-types.ts";
import { EXPOSED_LIST } from "./send-answer.ts";

export const NOT_ACCEPTABLE =
  "Accept must allow application/graphql-response+json or application/json; for subscriptions text/event-stream, or multipart/mixed with subscriptionSpec=1.0";

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
 * Answers a request that cannot be read, because of the type or size of its body or because it accepts no type of answer, and returns true.
 * Returns false for every other request.
 */
export function refuseEarly(request: IncomingMessage, response: ServerResponse, rules: BodyRules): boolean {
  const refusal = refusalOf(request, rules.bodyLimitBytes);
  if (!refusal) return false;
  setHeaders(response, rules.limitHeadersOf(request));
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
    return await decodedBody(request, await readBody(request, bodyLimitBytes), bodyLimitBytes);
  } catch (error) {
    if (!(error instanceof Failure) || response.destroyed) return null;
    setHeaders(response, limitHeadersOf(request));
    const { message, code } = error;
    if (error instanceof Overloaded) response.setHeader("retry-after", String(error.retryAfterSeconds));
    const status = error instanceof DamagedBody ? 400 : code === "UNAVAILABLE" ? 503 : 413;
    sendRefusal(response, { status, message, code });
    discardBody(request, () => response.end());
    return null;
  }
}

function refusalOf(request: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  const { method, headers } = request;
  if (!acceptedBy(headers.accept).result) return { status: 406, message: NOT_ACCEPTABLE };
  if (method === "POST" && !isPreflighted(headers["content-type"])) return { status: 415, message: UNSUPPORTED_TYPE };
  const unsupported = unsupportedEncoding(request);
  if (unsupported !== null) return { status: 415, message: unsupported };
  return Number(headers["content-length"] ?? 0) > bodyLimitBytes
    ? { status: 413, message: `the body must be of at most ${bodyLimitBytes} bytes` }
    : null;
}

/**
 * True for a media type that a web page of another origin can send only after a preflight. A page of any origin can send forms without a
 * preflight, and so would start a mutation that the user did not request.
 */
function isPreflighted(contentType = ""): boolean {
  return /^\s*application\/(json|graphql|graphql\+json)\s*(;|$)/i.test(contentType);
}

/** True if the body is a document, and not JSON. */
export function isGraphqlDocument(contentType = ""): boolean {
  return /^\s*application\/graphql\s*(;|$)/i.test(contentType);
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
    "access-control-expose-headers": EXPOSED_LIST,
    connection: "close",
  });
  response.write(text);
  return response;
}
