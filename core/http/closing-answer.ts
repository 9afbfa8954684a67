import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { REQUEST_ID_HEADER, requestIdOf } from "../observability/request-id.ts";
import { COMMON_HEADERS } from "./headers.ts";

export interface ClosingAnswer {
  readonly status: number;
  /** Default: the answer names no request. */
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: an empty text. */
  readonly body?: string;
}

/** The bytes of the last answer of a connection, for one whose request was not read as HTTP. Its body may be JSON. */
export function closingAnswer({ status, requestId, headers = {}, body = "" }: ClosingAnswer): string {
  const all = {
    ...(body === "" ? {} : { "content-type": "application/json; charset=utf-8" }),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    "cache-control": "no-store",
    ...(requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId }),
    ...COMMON_HEADERS,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

const LINGER_MS = 1_000;

/** Sends the last bytes of a connection, and closes it: a client could otherwise keep its side open for ever. */
export function endConnection(socket: Duplex, lastBytes: string): void {
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Answers a request for another protocol, such as a WebSocket handshake, that is refused. Closes the connection. */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  { body = "", ...answer }: Omit<ClosingAnswer, "requestId">,
): void {
  // An answer to HEAD has no body.
  const sent = request.method === "HEAD" ? "" : body;
  endConnection(socket, closingAnswer({ ...answer, requestId: requestIdOf(request), body: sent }));
}
