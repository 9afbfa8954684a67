import type { Server } from "node:http";
import type { Socket } from "node:net";
import { countRejection } from "../observability/rejections.ts";
import type { Connections } from "./connections.ts";

/** How often the unread bytes of all connections are looked at. */
const CHECK_MS = 1_000;

/**
 * Closes a connection if its client has read nothing of the pending bytes for `timeoutMs`. Connections that wait for an answer or
 * for an event of a subscription stay open. Connections without a response are idle, and their keep-alive time is over.
 *
 * Only connections that have unread bytes when they are checked get a timeout, because most answers are read at once.
 */
export function closeUnreadConnections(server: Server, connections: Connections, timeoutMs: number): void {
  // Node.js emits the event after a time without reads and without progress of a pending write.
  server.on("timeout", (socket) => {
    if (socket.writableLength === 0 && connections.get(socket)?.size) socket.setTimeout(0);
    else closeUnread(socket);
  });
  const check = () => {
    for (const [socket, responses] of connections)
      if (socket.writableLength > 0 && responses.size > 0 && socket.timeout !== timeoutMs) socket.setTimeout(timeoutMs);
  };
  repeatedly(server, check, Math.min(CHECK_MS, timeoutMs));
}

/**
 * Adds up every second the bytes that the clients of a server have not read. If the sum is more than `maxBytes`, closes connections
 * until it is at most `maxBytes`: first those that had unread bytes in the most consecutive checks. A connection that has unread
 * bytes for the first time is not closed.
 */
export function limitUnreadBytes(server: Server, connections: Connections, maxBytes: number): void {
  let checks = new Map<Socket, number>();
  const check = () => {
    const earlier = checks;
    checks = new Map();
    let unread = 0;
    for (const socket of connections.keys()) {
      if (socket.writableLength === 0) continue;
      unread += socket.writableLength;
      checks.set(socket, (earlier.get(socket) ?? 0) + 1);
    }
    if (unread <= maxBytes) return;
    const slowest = [...checks].filter(([, count]) => count > 1).sort(([, one], [, other]) => other - one);
    for (const [socket] of slowest) {
      if (unread <= maxBytes) return;
      unread -= socket.writableLength;
      closeUnread(socket);
    }
  };
  repeatedly(server, check, CHECK_MS);
}

function repeatedly(server: Server, check: () => void, intervalMs: number): void {
  const timer = setInterval(check, intervalMs).unref();
  server.once("close", () => clearInterval(timer));
}

function closeUnread(socket: Socket): void {
  if (socket.writableLength > 0) countRejection("slow_consumer");
  socket.destroy();
}
