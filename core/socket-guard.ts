import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { countRejection } from "./observability/rejections.ts";

/** Codes with which the server closes WebSockets. Clients of graphql-ws connect again after 1001 and 1013. */
export const CLOSE_CODES = {
  idle: 1_000,
  shutdown: 1_001,
  tooLarge: 1_009,
  slow: 1_013,
  overloaded: 1_013,
  tooMany: 4_429,
} as const;

const PING_INTERVAL_MS = 12_000;
/**
 * A client reads a ping after all that was sent before it, of which the operating system may have 4 MB. With fewer pings, a client that reads 100 KB
 * a second would seem to be gone.
 */
const MAX_UNANSWERED_PINGS = 4;
/** How long a client may read nothing while more than `unreadBytes` bytes wait for it. */
const UNREAD_MS = 10_000;
/** How long a client has to read the close message. */
const CLOSE_GRACE_MS = 5_000;

export interface SocketLimits {
  readonly unreadBytes: number;
  readonly idleMs: number;
  /** Default: ten seconds. */
  readonly unreadMs?: number | undefined;
}

/** Watches what the client of a WebSocket reads and answers. */
export interface SocketGuard {
  /** True while too many bytes are unread: no operation should start. */
  readonly isFull: boolean;
  /** Calls the function once when `isFull` becomes false. Returns the function that ends the waiting. */
  whenFree(call: () => void): () => void;
  /** To be called after a message was passed to the connection. */
  sent(): void;
  /** Reads nothing from the client until `read` is called. */
  pause(): void;
  read(): void;
}

/**
 * - Pings the client, and ends the connection if the client has not answered the last four pings, for example because it reads nothing.
 * - While more than `unreadBytes` bytes are unread, the connection is full: nothing is read from the client, so that it cannot cause further
 *   answers. A client that reads nothing of them is closed.
 * - Closes a connection without operations after `idleMs`. `idleSince` returns the time at which the last operation ended; null while
 *   one runs. It is called with every ping.
 */
export function guardSocket(
  socket: WebSocket,
  connection: Duplex,
  { unreadBytes, idleMs, unreadMs = UNREAD_MS }: SocketLimits,
  idleSince: () => number | null,
): SocketGuard {
  let unanswered = 0;
  // The answer to a ping may be among the messages that were not read while the socket was paused.
  const flow = createFlowControl(socket, connection as Socket, { unreadBytes, unreadMs }, () => {
    unanswered = 0;
  });
  socket.on("pong", () => {
    unanswered = 0;
  });
  const intervalMs = Math.min(PING_INTERVAL_MS, idleMs);
  const timer = setInterval(() => {
    // While the socket is paused, the pongs of its client are not read. The flow control decides when to close it.
    if (socket.isPaused) return;
    if (unanswered === MAX_UNANSWERED_PINGS) return socket.bufferedAmount > 0 ? closeSlow(socket) : socket.terminate();
    const sinceMs = idleSince();
    if (sinceMs !== null && performance.now() - sinceMs >= idleMs) return closeSocket(socket, CLOSE_CODES.idle, "Idle");
    unanswered++;
    socket.ping();
  }, intervalMs);
  socket.once("close", () => clearInterval(timer));
  return flow;
}

/** Closes a connection, and ends it if the client does not confirm that. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.isPaused) socket.resume();
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), CLOSE_GRACE_MS);
  socket.once("close", () => clearTimeout(timer));
}

function closeSlow(socket: WebSocket): void {
  if (socket.readyState === socket.OPEN) countRejection("slow_consumer");
  closeSocket(socket, CLOSE_CODES.slow, "The client reads too slowly");
}

/** Stops reading from a client that does not read, and closes its connection after `unreadMs`. */
function createFlowControl(
  socket: WebSocket,
  tcp: Socket,
  { unreadBytes, unreadMs }: { readonly unreadBytes: number; readonly unreadMs: number },
  onResume: () => void,
): SocketGuard {
  /** True while too many bytes are unread. */
  let isFull = false;
  /** True while messages of the client wait until they are handled. */
  let isHeld = false;
  const waitingUntilFree = new Set<() => void>();
  const readUnlessPaused = (): void => {
    if ((isFull || isHeld) && socket.readyState === socket.OPEN) socket.pause();
    else if (socket.isPaused) socket.resume();
  };
  const resume = (): void => {
    tcp.off("drain", resume);
    tcp.setTimeout(0);
    onResume();
    isFull = false;
    readUnlessPaused();
    for (const call of waitingUntilFree) {
      waitingUntilFree.delete(call);
      call();
    }
  };
  const pause = (): void => {
    if (isFull || socket.readyState !== socket.OPEN) return;
    isFull = true;
    readUnlessPaused();
    tcp.on("drain", resume);
    // Node.js emits `timeout` after a time without progress of the pending writes.
    tcp.setTimeout(unreadMs);
  };
  // The HTTP server's listener would reset the connection.
  tcp.removeAllListeners("timeout");
  tcp.on("timeout", () => closeSlow(socket));
  const pauseIfFull = (): void => {
    if (socket.bufferedAmount > unreadBytes) pause();
  };
  // `ws` answers pings itself, without a call of `sent`.
  socket.on("ping", pauseIfFull);
  return {
    get isFull() {
      return isFull;
    },
    whenFree(call) {
      waitingUntilFree.add(call);
      return () => waitingUntilFree.delete(call);
    },
    sent: pauseIfFull,
    pause() {
      isHeld = true;
      readUnlessPaused();
    },
    read() {
      isHeld = false;
      onResume();
      readUnlessPaused();
    },
  };
}
