import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import WebSocket from "ws";
import { withResolvers } from "../async/with-resolvers.ts";
import { countRejection } from "../observability/rejections.ts";

/** Codes with which the server closes WebSockets. Clients of graphql-ws connect again after 1001 and 1013. */
export const CLOSE_CODES = { idle: 1_000, shutdown: 1_001, tooLarge: 1_009, slow: 1_013, tooMany: 4_429 } as const;

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
}

/** What a server does with what happens on a WebSocket, before the listeners of graphql-ws. */
export interface SocketObserver {
  /** Returns the text that the listeners get; null if they get nothing. The message itself would keep all bytes that were read with it. */
  onMessage(message: Buffer): string | null;
  onSent(): void;
  /** The listeners get no failures, because they print them. */
  onFailure(error: Error): void;
  /** Must call `pass`, which calls the listeners. */
  onClose(pass: () => void): void;
}

/** The WebSockets of a server: `ws` makes them. */
export class ObservedSocket extends WebSocket {
  observer: SocketObserver | null = null;

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === "error") {
      this.observer?.onFailure(values[0] as Error);
      return true;
    }
    if (event === "message") {
      const text = this.observer?.onMessage(values[0] as Buffer) ?? null;
      return text === null || super.emit(event, text);
    }
    const pass = () => super.emit(event, ...values);
    if (event !== "close" || !this.observer) return pass();
    this.observer.onClose(pass);
    return true;
  }

  /** Passes the text of a message to the listeners, after `onMessage` has returned null for it. */
  pass(text: string): void {
    super.emit("message", text);
  }

  /**
   * Calls back at once, as if the message were sent: the function that graphql-ws passes keeps the text. `SocketGuard.whenFree` waits for the
   * client instead.
   */
  override send(data: Parameters<WebSocket["send"]>[0], ...rest: unknown[]): void {
    super.send(data, (error) => error && this.observer?.onFailure(error));
    this.observer?.onSent();
    (rest.at(-1) as () => void)();
  }
}

/** Watches what the client of a WebSocket reads and answers. */
export interface SocketGuard {
  /** Resolves when the client may be sent more: never if the socket closes. */
  whenFree(): Promise<void>;
  /** To be called after a message was passed to the socket. */
  sent(): void;
}

/**
 * - Pings the client, and ends the connection if the client has not answered the last four pings, for example because it reads nothing.
 * - While more than `unreadBytes` bytes are unread, nothing is read from the client, so that it cannot cause further answers. A client that reads
 *   nothing of them is closed.
 * - Closes a connection without operations after `idleMs`. `idleSince` returns the time at which the last operation ended; null while
 *   one runs. It is called with every ping.
 */
export function guardSocket(
  socket: WebSocket,
  connection: Duplex,
  { unreadBytes, idleMs }: SocketLimits,
  idleSince: () => number | null,
): SocketGuard {
  const tcp = connection as Socket;
  let unanswered = 0;
  let free: ReturnType<typeof withResolvers> | null = null;
  const isOpen = () => socket.readyState === socket.OPEN;
  const onDrain = (): void => {
    tcp.off("drain", onDrain);
    tcp.setTimeout(0);
    // The answer to a ping may be among the messages that were not read while the socket was paused.
    unanswered = 0;
    if (isOpen()) socket.resume();
    free?.resolve();
    free = null;
  };
  const pauseIfFull = (): void => {
    if (free || socket.bufferedAmount <= unreadBytes || !isOpen()) return;
    free = withResolvers();
    socket.pause();
    tcp.on("drain", onDrain);
    // Node.js emits `timeout` after a time without progress of the pending writes.
    tcp.setTimeout(UNREAD_MS);
  };
  // The HTTP server's listener would reset the connection.
  tcp.removeAllListeners("timeout");
  tcp.on("timeout", () => closeSlow(socket));
  // `ws` answers pings itself, without a call of `sent`.
  socket.on("ping", pauseIfFull);
  socket.on("pong", () => {
    unanswered = 0;
  });
  const timer = setInterval(
    () => {
      // While the socket is paused, the pongs of its client are not read. It is closed because of its unread bytes.
      if (socket.isPaused) return;
      if (unanswered === MAX_UNANSWERED_PINGS)
        return socket.bufferedAmount > 0 ? closeSlow(socket) : socket.terminate();
      const sinceMs = idleSince();
      if (sinceMs !== null && performance.now() - sinceMs >= idleMs)
        return closeSocket(socket, CLOSE_CODES.idle, "Idle");
      unanswered++;
      socket.ping();
    },
    Math.min(PING_INTERVAL_MS, idleMs),
  );
  socket.once("close", () => clearInterval(timer));
  return {
    sent: pauseIfFull,
    async whenFree() {
      while (free) await free.promise;
      if (!isOpen()) await new Promise<never>(() => {});
    },
  };
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
