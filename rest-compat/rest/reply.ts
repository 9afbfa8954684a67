import type { ServerResponse } from "node:http";
import { FAILURES, type Failure } from "../../core/errors/errors.ts";
import type { JsonText } from "../../core/graph/answer-text.ts";
import { type CompressedBody, compressFor, MIN_COMPRESSED_LENGTH } from "../../core/http/compression.ts";
import type { HttpDocument } from "../../core/http/document.ts";
import { entityTag, isCurrent, REVALIDATE } from "../../core/http/headers.ts";
import { bodyOf, writeHead } from "../../core/http/response.ts";
import type { Base } from "../routes.ts";
import { CORS_HEADERS } from "./cors.ts";

/** Status and body of a response. */
export interface Reply {
  readonly status: number;
  readonly text: JsonText;
  /** What is sent: `text`, or its bytes if it is long. Node.js needs much more time and memory to send a long text. */
  readonly body: string | Buffer;
  /** The entity tag of `text`. Caches store only a reply with a tag. */
  readonly etag?: string;
}

/** A reply with a document that is the same for all requests. */
export interface DocumentReply {
  readonly document: HttpDocument;
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
