import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import pino from "pino";
import WebSocket from "ws";
import { startServer } from "../../core/http/server.ts";
import { createGraphQLWebSocketServer, type GraphQLWebSocketOptions } from "../../core/sockets/graphql-ws-server.ts";

/** Starts a server of WebSockets on a port of its own. */
export async function serve(
  options: Omit<GraphQLWebSocketOptions, "logger"> & Partial<Pick<GraphQLWebSocketOptions, "logger">>,
) {
  const sockets = createGraphQLWebSocketServer({ logger: pino({ level: "silent" }), ...options });
  const { upgrade } = sockets;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler: () => {}, upgrade });
  return {
    port: server.port,
    sockets,
    url: `ws://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await sockets[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Connects a client, which is initialised. */
export async function connect(url: string, requestId = "test"): Promise<WebSocket> {
  const socket = new WebSocket(url, "graphql-transport-ws", { headers: { "x-request-id": requestId } });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  return socket;
}

/** The message that starts an operation. */
export const subscribe = (id: string, extensions = {}): string =>
  JSON.stringify({ id, type: "subscribe", payload: { query: "subscription { any }", extensions } });

/** The messages that a client gets, as their id, type and first error. */
export function messagesTo(socket: WebSocket): string[] {
  const messages: string[] = [];
  socket.on("message", (bytes) => {
    const { id, type, payload } = JSON.parse(String(bytes));
    messages.push([id, type, ...(Array.isArray(payload) ? [payload[0].message] : [])].join(" "));
  });
  return messages;
}

/** Resolves when the condition holds, which is checked in each iteration of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** A subscription that waits for its first event until `fail` is called. */
export function failing() {
  let fail = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new Error("the event cannot be made"));
  });
  const events: AsyncIterable<ExecutionResult> = { [Symbol.asyncIterator]: () => ({ next: () => failed }) };
  return { events, fail };
}
