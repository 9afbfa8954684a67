import type { Server } from "node:http";
import type { Socket } from "node:net";
import { countRejection } from "../observability/rejections.ts";
import type { Connections } from "./connections.ts";

/** How often the unread bytes of all connections are looked at. */
const CHECK_MS = 1_000;

/**
 * Closes a connection if its client has read nothing of the pending bytes for `timeoutMs`, whatever it sends meanwhile. Connections that
 * wait for an answer or for an event of a subscription stay open.
 */
export function closeUnreadConnections(server: Server, connections: Connections, timeoutMs: number): void {
  let waiting = new Map<Socket, Progress>();
  const check = () => {
    const earlier = waiting;
    waiting = new Map();
    const nowMs = performance.now();
    for (const [socket, responses] of connections) {
      if (socket.writableLength === 0 || responses.size === 0) continue;
      const sentBytes = sentBytesOf(socket);
      const known = earlier.get(socket);
      const progress = known?.sentBytes === sentBytes ? known : { sentBytes, sinceMs: nowMs };
      if (nowMs - progress.sinceMs >= timeoutMs) closeUnread(socket);
      else waiting.set(socket, progress);
    }
  };
  repeatedly(server, check, Math.min(CHECK_MS, timeoutMs));
}

/** How many bytes of a connection the kernel has taken, and since when it has taken no more. */
interface Progress {
  readonly sentBytes: number;
  readonly sinceMs: number;
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
  // The kernel would keep the unread bytes of a connection that is closed in the usual way.
  socket.resetAndDestroy();
}
