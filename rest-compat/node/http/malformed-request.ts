import type { Duplex } from "node:stream";
import { type GoRefusal, WRONG_VERSION } from "./target.ts";

const TOO_LARGE: GoRefusal = { status: 431, reason: "Request Header Fields Too Large" };
const BAD: GoRefusal = { status: 400, reason: "Bad Request" };

/** What Go's server says in place of Node's parser. */
const REFUSALS: Readonly<Record<string, GoRefusal>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_INVALID_VERSION: WRONG_VERSION,
  HPE_INVALID_HEADER_TOKEN: { status: 400, reason: "Bad Request: invalid header name" },
};

/** An encoding of bodies that Go does not know; Node's parser names it by whichever header comes last. */
const UNKNOWN_ENCODING = /^transfer-encoding:(?![ \t]*chunked[ \t]*\r)/im;
const NOT_IMPLEMENTED: GoRefusal = { status: 501, reason: "Not Implemented", text: "Unsupported transfer encoding" };

/** Bytes after a request that was the connection's last: its own answer is on its way. */
const AFTER_THE_LAST = "HPE_CLOSED_CONNECTION";

/** Target of the request that could not be read; null when the bytes at hand do not have its first line. */
export function brokenTarget(error: Error): string | null {
  const [, target = null] = /^[^\s]+ ([^\r\n]*) HTT/.exec(headOf(error)) ?? [];
  return target;
}

/** Answers, as a node would, what Node could not read as a request. */
export function answerBroken(error: Error, socket: Duplex): void {
  const code = "code" in error ? String(error.code) : "";
  if (code === AFTER_THE_LAST) return;
  if (socket.destroyed || !socket.writable || code === "ECONNRESET") return void socket.destroy();
  const isEncoding =
    /^HPE_INVALID_(TRANSFER_ENCODING|CONTENT_LENGTH)$/.test(code) && UNKNOWN_ENCODING.test(headOf(error));
  const { status, reason, text } = isEncoding ? NOT_IMPLEMENTED : (REFUSALS[code] ?? BAD);
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  socket.end(head + (text ?? `${status} ${reason}`));
}

/** Start of the bytes in which the error is. */
function headOf(error: Error): string {
  const bytes = "rawPacket" in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  return bytes.subarray(0, 16_384).toString("latin1");
}
