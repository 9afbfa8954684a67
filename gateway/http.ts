import type { IncomingMessage, ServerResponse } from "node:http";
import { countRejection } from "../core/observability/rejections.ts";
import { REQUEST_ID_HEADER } from "../core/observability/request-id.ts";

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Answers a request that must not reach the GraphQL runtime, because of the type or size of its body, and returns true. Returns
 * false for every other request.
 */
export function refuseBody(request: IncomingMessage, response: ServerResponse, bodyLimitBytes: number): boolean {
  const refusal = refusalOf(request, bodyLimitBytes);
  if (refusal) sendRefusal(response, refusal);
  return refusal !== null;
}

function refusalOf({ method, headers }: IncomingMessage, bodyLimitBytes: number): Refusal | null {
  if (method !== "POST") return null;
  if (!isPreflighted(headers["content-type"]))
    return { status: 415, message: "the body must be JSON (application/json)" };
  if (headers["transfer-encoding"]) return { status: 411, message: "a POST request must have a content-length header" };
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

function sendRefusal(response: ServerResponse, { status, message }: Refusal): void {
  countRejection("body");
  const text = JSON.stringify({ errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] });
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": REQUEST_ID_HEADER,
    connection: "close",
  });
  response.end(text);
}
