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

export interface UnreadLimits {
  /** Bytes of all connections together. */
  readonly all: number;
  /** Bytes of WebSockets together whose clients have stopped to read. */
  readonly ofWebSockets: number;
  readonly webSockets: { has(socket: Socket): boolean };
}

/** A connection with unread bytes. */
interface Unread {
  readonly socket: Socket;
  readonly sentBytes: number;
  /** The number of consecutive checks in which it had unread bytes. */
  readonly checks: number;
  /** The number of consecutive checks in which its client had read nothing since the check before. */
  readonly stoppedChecks: number;
}

/**
 * Adds up every second the bytes that the clients of a server have not read. If the sum of all connections is above its limit, closes connections
 * until it is not: first those that had unread bytes in the most consecutive checks. A connection that has unread bytes for the first time is not
 * closed. If the sum of WebSockets whose clients have stopped to read is above its own limit, closes such WebSockets in the same way.
 */
export function limitUnreadBytes(server: Server, connections: Connections, limits: UnreadLimits): void {
  let known = new Map<Socket, Unread>();
  const check = () => {
    const earlier = known;
    known = new Map();
    for (const socket of connections.keys())
      if (socket.writableLength > 0) known.set(socket, unreadOf(socket, earlier.get(socket)));
    const all = [...known.values()];
    const stopped = all.filter(({ socket, stoppedChecks }) => stoppedChecks > 0 && limits.webSockets.has(socket));
    closeSlowest(stopped, limits.ofWebSockets, ({ stoppedChecks }) => stoppedChecks);
    closeSlowest(all, limits.all, ({ checks }) => checks - 1);
  };
  repeatedly(server, check, CHECK_MS);
}

function unreadOf(socket: Socket, before: Unread | undefined): Unread {
  const sentBytes = sentBytesOf(socket);
  const hasStopped = before?.sentBytes === sentBytes;
  return {
    socket,
    sentBytes,
    checks: (before?.checks ?? 0) + 1,
    stoppedChecks: hasStopped ? before.stoppedChecks + 1 : 0,
  };
}

/** Closes connections until the rest has at most `maxBytes`, first the slowest ones. Those whose slowness is 0 stay open. */
function closeSlowest(connections: readonly Unread[], maxBytes: number, slownessOf: (one: Unread) => number): void {
  const open = connections.filter(({ socket }) => !socket.destroyed);
  let unread = open.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  if (unread <= maxBytes) return;
  const slowest = open.filter((one) => slownessOf(one) > 0).sort((one, other) => slownessOf(other) - slownessOf(one));
  for (const { socket } of slowest) {
    if (unread <= maxBytes) return;
    unread -= socket.writableLength;
    closeUnread(socket);
  }
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
