import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorCode } from "../errors/errors.ts";
import { closingAnswer, endConnection } from "./closing-answer.ts";
import type { Connections } from "./connections.ts";
import { errorBody } from "./error-answer.ts";

/** The code of the error for a request with the method CONNECT, which Node.js does not treat as a request. */
const CONNECT_REFUSED = "ERR_CONNECT_REFUSED";

interface Answer {
  /** The status that Node.js would send. */
  readonly status: number;
  readonly message: string;
}

const OTHER_ERROR: Answer = { status: 400, message: "the request must be valid HTTP/1.1" };

/** The answers to errors of the parser of Node.js, by their code. */
const ANSWERS: ReadonlyMap<unknown, Answer> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: 431, message: "URL and headers must be of at most 16 KiB together" }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 408, message: "the request must arrive completely within the time limit" }],
  [CONNECT_REFUSED, { status: 400, message: "the method CONNECT is not supported" }],
]);

export function connectRefused(): Error {
  return Object.assign(new Error("the method CONNECT is not supported"), { code: CONNECT_REFUSED });
}

/**
 * Answers bytes that cannot be parsed as a request (`clientError` of a server) with the documented error. Default for `status`: the one
 * that Node.js would send.
 */
export function answerMalformedRequest(error: Error, socket: Duplex, status?: number): void {
  const code = errorCode(error);
  if (socket.destroyed || !socket.writable || code === "ECONNRESET") return void socket.destroy();
  const answer = ANSWERS.get(code) ?? OTHER_ERROR;
  const sent = status ?? answer.status;
  const body = isHead(error) ? "" : errorBody(sent, answer.message);
  endConnection(socket, closingAnswer({ status: sent, requestId: randomUUID(), body }));
}

const HEAD = "HEAD ";

/** True if the bytes begin with a request whose method is HEAD: its answer must have no body. */
function isHead(error: Error): boolean {
  if (!("rawPacket" in error) || !(error.rawPacket instanceof Uint8Array)) return false;
  return Buffer.from(error.rawPacket.subarray(0, HEAD.length)).toString("latin1") === HEAD;
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
