import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { closingAnswer, endConnection } from "./closing-answer.ts";
import type { Connections } from "./connections.ts";

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

/**
 * Calls `answer` when all requests that the connection has sent completely before the malformed bytes are answered: clients match answers
 * with requests by their order. Closes the connection if the request that has the malformed bytes is already being answered.
 */
export function createMalformedAnswers(connections: Connections) {
  const waiting = new WeakSet<Socket>();
  return (socket: Socket, answer: () => void): void => {
    // The bytes after malformed ones are malformed too.
    if (waiting.has(socket)) return;
    const pending = [...(connections.get(socket) ?? [])];
    const isBeingAnswered = pending.some(({ req, headersSent }) => headersSent && !req.complete);
    const earlier = pending.filter(({ req }) => req.complete).at(-1);
    if (isBeingAnswered) socket.destroy();
    else if (earlier) {
      waiting.add(socket);
      earlier.on("close", answer);
    } else answer();
  };
}
