import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { LimitHeadersOf } from "../core/access/limit-headers.ts";
import { RATE_LIMIT_HEADERS } from "../core/access/rate-limit.ts";
import { Failure } from "../core/errors.ts";
import { discardBody, readBody } from "../core/http/body.ts";
import { headerPairs } from "../core/http/headers.ts";
import { countRejection } from "../core/observability/rejections.ts";
import { REQUEST_ID_HEADER } from "../core/observability/request-id.ts";

interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface BodyRules {
  readonly bodyLimitBytes: number;
  readonly limitHeadersOf: LimitHeadersOf;
}

/**
 * Answers a request that must not reach the GraphQL runtime, because of the type or size of its body, and returns true. Returns
 * false for every other request.
 */
export function refuseBody(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyLimitBytes, limitHeadersOf }: BodyRules,
): boolean {
  const refusal = refusalOf(request, bodyLimitBytes);
  if (!refusal) return false;
  setLimitHeaders(response, limitHeadersOf(request));
  countRejection("body");
  sendRefusal(response, refusal).end();
  return true;
}

/** True if the request has a body of which the client has not announced the length. */
export function hasChunkedBody({ method, headers }: IncomingMessage): boolean {
  return method === "POST" && headers["transfer-encoding"] !== undefined;
}

/**
 * Reads a body of unknown length and gives it to the GraphQL runtime, which would read it without a limit. Returns false if the request
 * is refused because the body is too large, or if the client has left.
 */
export async function readChunkedBody(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyLimitBytes, limitHeadersOf }: BodyRules,
): Promise<boolean> {
  try {
    const body = await readBody(request, bodyLimitBytes);
    // The runtime takes a body that was read before from this property, if it is a stream.
    Object.assign(request, { body: Readable.from([body]) });
    return true;
  } catch (error) {
    if (error instanceof Failure) {
      setLimitHeaders(response, limitHeadersOf(request));
      sendRefusal(response, { status: 413, message: error.message });
      discardBody(request, () => response.end());
    }
    return false;
  }
}

function refusalOf({ method, headers }: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  if (method !== "POST") return null;
  if (!isPreflighted(headers["content-type"]))
    return { status: 415, message: "the body must be JSON (application/json)" };
  return Number(headers["content-length"] ?? 0) > bodyLimitBytes
    ? { status: 413, message: `the body must be of at most ${bodyLimitBytes} bytes` }
    : null;
}

/**
 * True for a media type that a web page of another origin can send only after a preflight. The runtime would also read forms, which a
 * page of any origin can send without a preflight, and so start a mutation that the user did not request.
 */
function isPreflighted(contentType = ""): boolean {
  return /^application\/(json|graphql)/i.test(contentType);
}

function setLimitHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (const [name, value] of headerPairs(headers)) response.setHeader(name, value);
}

/** Sends a refusal, but does not end the response. */
function sendRefusal(response: ServerResponse, { status, message }: Refusal): ServerResponse {
  const text = JSON.stringify({ errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] });
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
