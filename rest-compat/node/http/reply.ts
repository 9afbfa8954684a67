import type { Headers } from "./cors.ts";

/** Status, body and specific headers of a response. Headers that every response has are added when it is sent. */
export interface NodeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const EMPTY = Buffer.alloc(0);
const NOSNIFF = ["X-Content-Type-Options", "nosniff"] as const;

export function emptyReply(status: number, headers: Headers = []): NodeReply {
  return { status, headers, body: EMPTY };
}

/** An error of Go's HTTP library, such as that for an unknown path. */
export function errorReply(status: number, text: string): NodeReply {
  return { status, headers: [...contentType("text/plain; charset=utf-8"), NOSNIFF], body: Buffer.from(`${text}\n`) };
}

/** An error of a node's JSON-RPC library before it reads the request. `text` may contain bytes of a request header. */
export function textReply(status: number, text: string): NodeReply {
  return { status, headers: contentType("text/plain; charset=utf-8"), body: Buffer.from(text, "latin1") };
}

/** A JSON-RPC response. `body` is null for a notification. `isInvoked` is true if a method ran, which adds a header. */
export function rpcReply(status: number, body: Buffer | null, isInvoked: boolean): NodeReply {
  const headers = isInvoked ? [NOSNIFF] : [];
  if (body === null) return emptyReply(status, headers);
  return { status, headers: [...contentType("application/json; charset=utf-8"), ...headers], body };
}

/** The JSON of a plain health path. */
export function jsonReply(status: number, text: string): NodeReply {
  return { status, headers: contentType("application/json"), body: Buffer.from(text) };
}

function contentType(type: string): Headers {
  return [["Content-Type", type]];
}
