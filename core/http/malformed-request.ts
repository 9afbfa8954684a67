import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { closingAnswer, endConnection } from "./closing-answer.ts";

/** The statuses that Node.js gives to errors of its parser. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** The code of the error for a request with the method CONNECT, which Node.js does not treat as a request. */
export const CONNECT_REFUSED = "ERR_CONNECT_REFUSED";

export function connectRefused(): Error {
  return Object.assign(new Error("the method CONNECT is not supported"), { code: CONNECT_REFUSED });
}

/** Answers bytes that cannot be parsed as a request, with the status that Node.js would send, and without a body. */
export function answerMalformedRequest(error: Error, socket: Duplex): void {
  const code = "code" in error ? error.code : undefined;
  if (socket.writable)
    endConnection(socket, closingAnswer({ status: STATUSES.get(code) ?? 400, requestId: randomUUID() }));
  else socket.destroy();
}
