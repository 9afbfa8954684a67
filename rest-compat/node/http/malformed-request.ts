import type { Duplex } from "node:stream";
import { errorCode } from "../../../core/errors/errors.ts";
import { endConnection } from "../../../core/http/closing-answer.ts";
import { type GoRefusal, WRONG_VERSION } from "./request-check.ts";

const TOO_LARGE: GoRefusal = { status: 431, reason: "Request Header Fields Too Large" };
const BAD_REQUEST: GoRefusal = { status: 400, reason: "Bad Request" };

/** The response of Go's server for each error code of the parser of Node.js. */
const REFUSALS: Readonly<Record<string, GoRefusal>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_INVALID_VERSION: WRONG_VERSION,
  HPE_INVALID_HEADER_TOKEN: { status: 400, reason: "Bad Request: invalid header name" },
};

/**
 * A transfer encoding that Go does not know. The parser of Node.js reports one of two codes for it, depending on the order of
 * the headers.
 */
const UNKNOWN_ENCODING = /^transfer-encoding:(?![ \t]*chunked[ \t]*\r)/im;
const NOT_IMPLEMENTED: GoRefusal = { status: 501, reason: "Not Implemented", text: "Unsupported transfer encoding" };

/** Error code of Node.js for bytes after the connection's last request, which is still being answered. */
const BYTES_AFTER_LAST_REQUEST = "HPE_CLOSED_CONNECTION";

/** The target of a request that Node.js could not parse; null if the packet does not contain the request line. */
export function malformedTarget(error: Error): string | null {
  const [, target = null] = /^[^\s]+ ([^\r\n]*) HTT/.exec(headOf(error)) ?? [];
  return target;
}

/** Answers bytes that Node.js could not parse as a request, as Go's server does. */
export function answerMalformedRequest(error: Error, socket: Duplex): void {
  const code = String(errorCode(error) ?? "");
  if (code === BYTES_AFTER_LAST_REQUEST) return;
  if (socket.destroyed || !socket.writable || code === "ECONNRESET") return void socket.destroy();
  const isEncoding =
    /^HPE_INVALID_(TRANSFER_ENCODING|CONTENT_LENGTH)$/.test(code) && UNKNOWN_ENCODING.test(headOf(error));
  const { status, reason, text } = isEncoding ? NOT_IMPLEMENTED : (REFUSALS[code] ?? BAD_REQUEST);
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  endConnection(socket, head + (text ?? `${status} ${reason}`));
}

/** The beginning of the packet that contains the error. */
function headOf(error: Error): string {
  const bytes = "rawPacket" in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  return bytes.subarray(0, 16_384).toString("latin1");
}
