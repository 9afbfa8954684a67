import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";

export interface DrainOptions {
  /** How long new connections are still accepted. */
  readonly delayMs: number;
  /** How long idle connections stay open after that, because a client may have just sent a request on one. */
  readonly idleGraceMs: number;
  /** How long connections may stay open after the delay. */
  readonly limitMs: number;
  /** Called at once, for example to end subscriptions. */
  onDrain?(): void;
}

/** Stops a server. Resolves when all connections are closed. Further calls return the same promise. */
export type Drain = () => Promise<void>;

/**
 * Returns a function that stops the server without resetting a connection whose request has arrived. While the server stops:
 * - every response has `connection: close`, so that each client closes its connection after the next response;
 * - new connections are accepted for `delayMs`, and idle connections stay open for another `idleGraceMs`;
 * - connections that are still open `limitMs` after the delay are destroyed.
 *
 * Call it before a listener that answers requests is added.
 */
export function createDrain(server: Server, connections: Connections, options: DrainOptions): Drain {
  const { delayMs, idleGraceMs, limitMs, onDrain } = options;
  let isStopping = false;
  let isGraceOver = false;
  server.on("request", (_request, response) => {
    if (!isStopping) return;
    response.shouldKeepAlive = false;
    closeWhenIdle(response);
  });
  const closeWhenIdle = (response: ServerResponse): void => {
    response.once("close", () => {
      // The connection becomes idle after this event, if the headers were sent before the server was stopped.
      if (isGraceOver) setImmediate(closeIdle);
    });
  };
  const closeIdle = (): void => {
    server.closeIdleConnections();
    // To Node.js, a connection that has not sent anything yet is not idle. Clients open such connections in reserve.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  };
  const stop = async () => {
    isStopping = true;
    for (const responses of connections.values())
      for (const response of responses) {
        if (!response.headersSent) response.shouldKeepAlive = false;
        closeWhenIdle(response);
      }
    onDrain?.();
    if (delayMs > 0) await sleep(delayMs);
    const closed = once(server, "close");
    // The close method of http.Server would also close idle connections, on which a request may be arriving.
    NetServer.prototype.close.call(server);
    if (idleGraceMs > 0) {
      const grace = new AbortController();
      await Promise.race([closed, sleep(idleGraceMs, null, grace).catch(() => {})]);
      grace.abort();
    }
    isGraceOver = true;
    server.close();
    closeIdle();
    const timer = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, limitMs - idleGraceMs);
    await closed;
    clearTimeout(timer);
  };
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop();
    return stopped;
  };
}
