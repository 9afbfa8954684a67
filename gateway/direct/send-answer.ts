import type { IncomingMessage, ServerResponse } from "node:http";
import { RATE_LIMIT_HEADERS } from "../../core/access/rate-limit.ts";
import type { JsonText } from "../../core/answer-text/answer-text.ts";
import { bodyOf, endWithBody, releaseBody } from "../../core/http/body-bytes.ts";
import { type CompressedBody, compressFor, type Encoding } from "../../core/http/compression.ts";
import { PREFLIGHT_SECONDS } from "../../core/http/cors.ts";
import { SharedHeaders, writeHead } from "../../core/http/response.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import type { AnswerType } from "./accepted-type.ts";

/** Response headers that web pages of other origins can read. */
export const EXPOSED_HEADERS = [REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS];

const EXPOSED_LIST = EXPOSED_HEADERS.join(", ");

const sharedHead = (type: AnswerType) =>
  new SharedHeaders(["content-type", `${type}; charset=utf-8`, "cache-control", "no-store"]);
const SHARED_HEADS: Readonly<Record<AnswerType, SharedHeaders>> = {
  "application/json": sharedHead("application/json"),
  "application/graphql-response+json": sharedHead("application/graphql-response+json"),
};

interface Answer {
  readonly type: AnswerType;
  readonly status: number;
  readonly text: JsonText;
  /** More headers, names and values alternating. */
  readonly headers: readonly string[];
}

/** Sends an answer with the headers that the runtime would send, compressed if it is long and the caller accepts it. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const body = bodyOf(answer.text);
  const compressed = compressFor(request, answer.text, body);
  const sendCompressed = (result: CompressedBody) => {
    releaseBody(body);
    send(response, answer, result.body, result.encoding);
  };
  if (compressed === null) send(response, answer, body, null);
  else if (compressed instanceof Promise) compressed.then(sendCompressed, (error: Error) => response.destroy(error));
  else sendCompressed(compressed);
}

function send(
  response: ServerResponse,
  { type, status, headers }: Answer,
  body: string | Buffer,
  encoding: Encoding | null,
): void {
  // The caller has gone.
  if (response.destroyed) return;
  const head = headers.concat("content-length", String(Buffer.byteLength(body)));
  const vary = appendCors(response.req, head) ? ["Origin"] : [];
  if (encoding) {
    head.push("content-encoding", encoding);
    vary.push("accept-encoding");
  }
  if (vary.length > 0) head.push("vary", vary.join(", "));
  endWithBody(writeHead(response, status, head, SHARED_HEADS[type]), body);
}

/** Appends the headers that let a web page of another origin read an answer. Returns false if the request is from no such page. */
export function appendCors({ headers: { origin } }: IncomingMessage, head: string[]): boolean {
  if (origin === undefined) return false;
  head.push("access-control-allow-origin", origin, "access-control-expose-headers", EXPOSED_LIST);
  head.push("access-control-max-age", String(PREFLIGHT_SECONDS));
  return true;
}
