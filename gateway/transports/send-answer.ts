import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExecutionResult } from "graphql";
import type { JsonText } from "../../core/graph/answer-text.ts";
import { type CompressedBody, compressFor, type Encoding } from "../../core/http/compression.ts";
import { PREFLIGHT_SECONDS } from "../../core/http/cors.ts";
import { bodyOf, writeHead } from "../../core/http/response.ts";
import { RATE_LIMIT_HEADERS } from "../../core/limits/access/rate-limit.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import type { Outcome, ResultOutcome } from "../operation/outcome.ts";
import type { AnswerType } from "./media-types.ts";

/** Response headers that web pages of other origins can read. */
export const EXPOSED_HEADERS = [REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS];
export const EXPOSED_LIST = EXPOSED_HEADERS.join(", ");

interface Answer {
  readonly type: AnswerType;
  readonly status: number;
  readonly text: JsonText;
  /** More headers, names and values alternating. */
  readonly headers: readonly string[];
}

type Answered = Exclude<Outcome, { readonly kind: "events" }>;

/** Sends the outcome of an operation as JSON, compressed if it is long and the caller accepts it. */
export function sendAnswer(
  response: ServerResponse,
  type: AnswerType,
  outcome: Answered,
  headers: readonly string[],
): void {
  if (outcome.kind === "text") sendText(response, { type, status: 200, text: outcome.text, headers });
  else {
    const text = JSON.stringify(inOrder(outcome.result));
    sendText(response, { type, status: statusOf(outcome, type), text, headers });
  }
}

/** Data come first, as in answers without errors. */
function inOrder(result: ExecutionResult): ExecutionResult {
  const { data, errors } = result;
  return { ...("data" in result && { data }), ...(errors && { errors }) };
}

/** A request that is wrong has the status 400, but not in answers of the type that has none (GraphQL over HTTP, 6.4.1). */
function statusOf({ status, result }: ResultOutcome, type: AnswerType): number {
  if (status !== undefined) return status;
  return "data" in result || type === "application/json" ? 200 : 400;
}

function sendText(response: ServerResponse, answer: Answer): void {
  const body = bodyOf(answer.text);
  const compressed = compressFor(response.req, answer.text, body);
  const sendCompressed = (result: CompressedBody) => send(response, answer, result.body, result.encoding);
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
  const head = ["content-type", `${type}; charset=utf-8`, "cache-control", "no-store", ...headers];
  head.push("content-length", String(Buffer.byteLength(body)));
  const vary = appendCors(response.req, head) ? ["Origin"] : [];
  if (encoding) {
    head.push("content-encoding", encoding);
    vary.push("accept-encoding");
  }
  if (vary.length > 0) head.push("vary", vary.join(", "));
  writeHead(response, status, head).end(body);
}

/** Appends the headers that let a web page of another origin read an answer. Returns false if the request is from no such page. */
export function appendCors({ headers: { origin } }: IncomingMessage, head: string[]): boolean {
  if (origin === undefined) return false;
  head.push("access-control-allow-origin", origin, "access-control-expose-headers", EXPOSED_LIST);
  head.push("access-control-max-age", String(PREFLIGHT_SECONDS));
  return true;
}
