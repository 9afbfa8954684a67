import type { Headers } from "./cors.ts";

/** What is answered, but for the headers that every answer carries. */
export interface NodeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const NOTHING = Buffer.alloc(0);
const NOSNIFF = ["X-Content-Type-Options", "nosniff"] as const;

export function emptyReply(status: number, headers: Headers = []): NodeReply {
  return { status, headers, body: NOTHING };
}

/** A text of Go's own, such as that of an unknown path. */
export function errorReply(status: number, text: string): NodeReply {
  return { status, headers: [...typed("text/plain; charset=utf-8"), NOSNIFF], body: Buffer.from(`${text}\n`) };
}

/** A text of the JSON-RPC server; it may repeat bytes of a header. */
export function textReply(status: number, text: string): NodeReply {
  return { status, headers: typed("text/plain; charset=utf-8"), body: Buffer.from(text, "latin1") };
}

/** A JSON-RPC answer; null for a notification. `isInvoked` once a method ran. */
export function rpcReply(status: number, body: Buffer | null, isInvoked: boolean): NodeReply {
  const headers = isInvoked ? [NOSNIFF] : [];
  if (body === null) return emptyReply(status, headers);
  return { status, headers: [...typed("application/json; charset=utf-8"), ...headers], body };
}

/** JSON of a plain path. */
export function jsonReply(status: number, text: string): NodeReply {
  return { status, headers: typed("application/json"), body: Buffer.from(text) };
}

function typed(type: string): Headers {
  return [["Content-Type", type]];
}
