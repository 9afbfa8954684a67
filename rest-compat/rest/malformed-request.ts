import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { closingAnswer, endConnection } from "../../core/http/closing-answer.ts";
import { CONNECT_REFUSED } from "../../core/http/malformed-request.ts";
import { errorReply } from "./reply.ts";

/**
 * Answers bytes that Node cannot parse as a request (`clientError` of its server) with the documented error. Node itself
 * would send a status that the REST specification does not have.
 */
export function answerMalformedRequest(error: Error, socket: Duplex): void {
  if (socket.destroyed || !socket.writable || codeOf(error) === "ECONNRESET") return void socket.destroy();
  const { status, text } = errorReply("INVALID_PARAMETER", brokenRule(error), "text");
  endConnection(socket, closingAnswer({ status, requestId: randomUUID(), body: isHead(error) ? "" : text.toString() }));
}

const HEAD = "HEAD ";

/** True if the bytes begin with a request whose method is HEAD: its answer must have no body. */
function isHead(error: Error): boolean {
  if (!("rawPacket" in error) || !(error.rawPacket instanceof Uint8Array)) return false;
  return Buffer.from(error.rawPacket.subarray(0, HEAD.length)).toString("latin1") === HEAD;
}

function brokenRule(error: Error): string {
  switch (codeOf(error)) {
    case "HPE_HEADER_OVERFLOW":
      return "URL and headers must be of at most 16 KiB together";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "the request must arrive completely within the time limit";
    case CONNECT_REFUSED:
      return error.message;
    default:
      return "the request must be valid HTTP/1.1";
  }
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}
