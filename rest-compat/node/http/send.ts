import type { IncomingMessage, ServerResponse } from "node:http";
import { discardBody, hasUnreadBody } from "../../../core/http/body.ts";
import { DefaultedResponse } from "../../../core/http/response.ts";
import type { Headers } from "./cors.ts";
import type { NodeReply } from "./reply.ts";
import type { GoRefusal } from "./request-check.ts";

/** Go's server buffers responses up to this size, and sends them with a length. */
const MAX_BUFFERED_BYTES = 2_048;
/** Go's server reads an unread request body up to this size to keep the connection open. */
const MAX_DISCARDED_BYTES = 262_144;

/** Sends a reply with its headers in the order of Go's server: the handler's sorted by name, then the server's own. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: NodeReply,
): void {
  const isUnread = hasUnreadBody(request);
  const isHttp10 = request.httpVersionMinor === 0;
  const isLong = body.length > MAX_BUFFERED_BYTES;
  const closes =
    !response.shouldKeepAlive || (isUnread && !(Number(request.headers["content-length"] ?? 0) <= MAX_DISCARDED_BYTES));
  const serverHeaders: [string, string][] = [["Date", new Date().toUTCString()]];
  if (!isLong) serverHeaders.push(["Content-Length", String(body.length)]);
  if (closes !== isHttp10 && (closes || !isLong)) serverHeaders.push(["Connection", closes ? "close" : "keep-alive"]);
  if (isLong && !isHttp10 && request.method !== "HEAD") serverHeaders.push(["Transfer-Encoding", "chunked"]);
  if (closes) response.shouldKeepAlive = false;
  writeHead(response, status, undefined, [...sorted(headers), ...serverHeaders]);
  if (!isUnread) return void response.end(body);
  response.write(body);
  discardBody(request, () => response.end());
}

/** Sends a refusal of Go's server, which closes the connection. */
export function sendRefusal(response: ServerResponse, { status, reason, text }: GoRefusal): void {
  const body = text ?? `${status} ${reason}`;
  writeHead(response, status, reason, body === "" ? emptyHeaders() : TEXT_HEADERS);
  response.end(body);
}

const TEXT_HEADERS: Headers = [
  ["Content-Type", "text/plain; charset=utf-8"],
  ["Connection", "close"],
];

function emptyHeaders(): Headers {
  return [
    ["Connection", "close"],
    ["Date", new Date().toUTCString()],
    ["Content-Length", "0"],
  ];
}

/** Headers that Node.js adds to every response. */
const ADDED_HEADERS = ["connection", "content-length", "transfer-encoding"];

/** Sends exactly these headers, without those that Node.js and `startServer` would add. */
function writeHead(response: ServerResponse, status: number, reason: string | undefined, headers: Headers): void {
  if (response instanceof DefaultedResponse) response.omitDefaults();
  response.sendDate = false;
  for (const name of ADDED_HEADERS) response.removeHeader(name);
  // Of several headers with the same name, `writeHead` would keep only the last one.
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(status, reason);
}

function sorted(headers: Headers): Headers {
  return [...headers].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
