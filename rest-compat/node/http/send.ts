import type { IncomingMessage, ServerResponse } from "node:http";
import { discardBody, hasBody } from "../../http/body.ts";
import type { Headers } from "./cors.ts";
import type { NodeReply } from "./reply.ts";
import type { GoRefusal } from "./target.ts";

/** Up to here Go's server knows the length of an answer before it sends it. */
const MOST_BUFFERED = 2_048;
/** So much of a body that nobody reads is taken in to keep the connection. */
const MOST_UNREAD = 262_144;

/** Sends a reply with headers in the order of Go's server: the handler's by their names, then its own. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: NodeReply,
): void {
  const isUnread = hasBody(request) && !request.complete;
  const isOld = request.httpVersionMinor === 0;
  const isLong = body.length > MOST_BUFFERED;
  const closes =
    !response.shouldKeepAlive || (isUnread && !(Number(request.headers["content-length"] ?? 0) <= MOST_UNREAD));
  const own: [string, string][] = [["Date", new Date().toUTCString()]];
  if (!isLong) own.push(["Content-Length", String(body.length)]);
  if (closes !== isOld && (closes || !isLong)) own.push(["Connection", closes ? "close" : "keep-alive"]);
  if (isLong && !isOld && request.method !== "HEAD") own.push(["Transfer-Encoding", "chunked"]);
  if (closes) response.shouldKeepAlive = false;
  writeHead(response, status, undefined, [...sorted(headers), ...own]);
  if (!isUnread) return void response.end(body);
  response.write(body);
  discardBody(request, () => response.end());
}

/** Answers in place of Go's server, which then closes. */
export function sendRefusal(response: ServerResponse, { status, reason, text }: GoRefusal): void {
  const body = text ?? `${status} ${reason}`;
  writeHead(response, status, reason, body === "" ? emptyHeaders() : TEXT);
  response.end(body);
}

const TEXT: Headers = [
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

/** No header is sent but those given: not the ones that Node would add either. */
function writeHead(response: ServerResponse, status: number, reason: string | undefined, headers: Headers): void {
  response.sendDate = false;
  for (const name of ["connection", "content-length", "transfer-encoding"]) response.removeHeader(name);
  response.writeHead(status, reason, headers.flat());
}

function sorted(headers: Headers): Headers {
  return [...headers].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
