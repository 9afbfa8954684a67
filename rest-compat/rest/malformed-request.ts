import type { Duplex } from "node:stream";
import { answerMalformedRequest as answerWithStatus } from "../../core/http/malformed-request.ts";

/** Answers bytes that are no request with 400: the REST specification does not have the other statuses that Node.js would send. */
export function answerMalformedRequest(error: Error, socket: Duplex): void {
  answerWithStatus(error, socket, 400);
}
