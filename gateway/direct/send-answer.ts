import type { IncomingMessage, ServerResponse } from "node:http";
import { RATE_LIMIT_HEADERS } from "../../core/access/rate-limit.ts";
import { type CompressedBody, compressFor } from "../../core/http/compression.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import type { AnswerType } from "./accepted-type.ts";

/** Response headers that web pages of other origins can read. */
export const EXPOSED_HEADERS = [REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS];

interface Answer {
  readonly type: AnswerType;
  readonly status: number;
  readonly text: string;
}

/** Sends an answer with the headers that the runtime would send, compressed if it is long and the caller accepts it. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, { type, status, text }: Answer): void {
  response.statusCode = status;
  response.setHeader("content-type", `${type}; charset=utf-8`);
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("vary", "Origin");
    response.setHeader("access-control-expose-headers", EXPOSED_HEADERS.join(", "));
  }
  const body = Buffer.from(text);
  const compressed = compressFor(request, text, body);
  if (compressed === null) send(response, body);
  else if (compressed instanceof Promise)
    compressed.then(
      (result) => sendCompressed(response, result),
      (error: Error) => response.destroy(error),
    );
  else sendCompressed(response, compressed);
}

function sendCompressed(response: ServerResponse, { encoding, body }: CompressedBody): void {
  response.setHeader("content-encoding", encoding);
  response.appendHeader("vary", "accept-encoding");
  send(response, body);
}

function send(response: ServerResponse, body: Buffer): void {
  // The caller has gone.
  if (response.destroyed) return;
  response.setHeader("content-length", body.length);
  response.end(body);
}
