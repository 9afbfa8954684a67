import type { Duplex } from "node:stream";
import { Failure } from "../../core/errors.ts";
import { failureReply } from "./reply.ts";

/**
 * Answers what Node could not read as a request (`clientError` of its server) in the documented form: Node itself would
 * send a status that the contract does not have.
 */
export function answerClientError(error: Error, socket: Duplex): void {
  if (socket.destroyed || !socket.writable || codeOf(error) === "ECONNRESET") return void socket.destroy();
  const { status, contentType, text } = failureReply(new Failure("INVALID_PARAMETER", ruleBroken(error)), "text");
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

function ruleBroken(error: Error): string {
  switch (codeOf(error)) {
    case "HPE_HEADER_OVERFLOW":
      return "URL and headers must be of at most 16 KiB together";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "the request must arrive in time";
    default:
      return "the request must be HTTP/1.1";
  }
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}
