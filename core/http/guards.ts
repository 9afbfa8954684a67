import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { countRejection } from "../observability/rejections.ts";
import { answerTookTooLong, MAX_ANSWER_SECONDS } from "./answer-time.ts";
import { type Connections, cancelAnswer } from "./connections.ts";
import { waitsForEarlier } from "./earlier-responses.ts";

/** Clients that send requests before they have the answers to earlier ones (pipelining) send a few of them. */
const MAX_UNANSWERED = 100;

/**
 * Closes a connection on which more than 100 requests are not answered yet: each needs memory until all earlier ones are answered.
 */
export function limitUnanswered(server: Server, connections: Connections): void {
  server.on("request", ({ socket }) => {
    const unanswered = connections.get(socket)?.size ?? 0;
    if (socket.destroyed || unanswered <= MAX_UNANSWERED) return;
    countRejection("too_many_unanswered");
    socket.destroy();
  });
}

/** Number of checks in the longest time that a request may take. */
const CHECKS = 24;
/** A connection is closed if the work of its request has been cancelled this number of checks ago and there is still no response. */
const CHECKS_AFTER = 6;

/**
 * Cancels the work of requests whose response has not begun after 120 seconds, whatever they wait for except for earlier responses
 * (`untilEarlierSent`). Downloads and event streams that have begun go on. Every 5 seconds, all open connections are checked, which costs less
 * than a timer for each request.
 */
export function limitAnswerTime(
  server: Server,
  connections: Connections,
  checkMs = (MAX_ANSWER_SECONDS * 1_000) / CHECKS,
): void {
  const checks = new WeakMap<ServerResponse, number>();
  const check = () => {
    for (const [socket, responses] of connections)
      for (const response of responses) {
        if (response.headersSent || waitsForEarlier(response)) continue;
        const count = (checks.get(response) ?? 0) + 1;
        checks.set(response, count);
        if (count === CHECKS + 1) cancelAnswer(response, answerTookTooLong());
        else if (count === CHECKS + 1 + CHECKS_AFTER) socket.destroy();
      }
  };
  repeatedly(server, check, checkMs);
}

/** How often the unread bytes of all connections are looked at. */
const CHECK_MS = 1_000;
/** Number of checks in which a client may read nothing of an answer. */
const UNREAD_CHECKS = 30;

/** A connection with unread bytes. */
interface Unread {
  /** Bytes that the kernel has taken. */
  readonly sentBytes: number;
  /** Consecutive checks in which it had unread bytes, and those in which its client has read none of them. */
  readonly checks: number;
  readonly idleChecks: number;
}

/**
 * Looks every second at the bytes that the clients of a server have not read, whatever they send meanwhile. Closes the connection of a client
 * that has read nothing of an answer for 30 seconds; those that wait for an answer or for an event of a subscription stay open.
 *
 * If the sum of all unread bytes is more than `maxBytes`, closes connections until it is at most `maxBytes`: first those that had unread bytes
 * in the most consecutive checks. A connection that has unread bytes for the first time is not closed.
 */
export function limitUnreadBytes(server: Server, connections: Connections, maxBytes: number, checkMs = CHECK_MS): void {
  let known = new Map<Socket, Unread>();
  const check = () => {
    const earlier = known;
    known = new Map();
    let unread = 0;
    for (const [socket, responses] of connections) {
      if (socket.writableLength === 0) continue;
      const before = earlier.get(socket);
      const sentBytes = sentBytesOf(socket);
      const idleChecks = before?.sentBytes === sentBytes ? before.idleChecks + 1 : 0;
      unread += socket.writableLength;
      known.set(socket, { sentBytes, checks: (before?.checks ?? 0) + 1, idleChecks });
      if (idleChecks >= UNREAD_CHECKS && responses.size > 0) closeUnread(socket);
    }
    if (unread <= maxBytes) return;
    const slowest = [...known].filter(([, { checks }]) => checks > 1);
    for (const [socket] of slowest.sort(([, one], [, other]) => other.checks - one.checks)) {
      if (unread <= maxBytes) return;
      unread -= socket.writableLength;
      closeUnread(socket);
    }
  };
  repeatedly(server, check, checkMs);
}

/** What Node.js has for a connection, of which it declares no types. It uses the same to find out whether a write makes progress. */
interface WithHandle {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/** Bytes that the kernel has taken. A long chunk is taken in parts. */
function sentBytesOf(socket: Socket): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as WithHandle)._handle ?? {};
  return bytesWritten - writeQueueSize;
}

function repeatedly(server: Server, check: () => void, intervalMs: number): void {
  const timer = setInterval(check, intervalMs).unref();
  server.once("close", () => clearInterval(timer));
}

function closeUnread(socket: Socket): void {
  if (socket.writableLength > 0) countRejection("slow_consumer");
  // The kernel would keep the unread bytes of a connection that is closed in the usual way.
  socket.resetAndDestroy();
}
