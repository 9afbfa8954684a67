import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createCallers } from "../core/access/callers.ts";
import { createLogger } from "../core/logger.ts";
import { startServer } from "../core/server.ts";
import { testConfig } from "../test/support/config.ts";
import { createOpenConnections } from "./open-connections.ts";
import { createWebSockets, type WebSocketDeps } from "./websocket.ts";

/** Serves operations over WebSockets. `onRun` gets what the runtime gets, which lives as long as the operation. */
async function serve(onRun: (params: object) => void) {
  const config = testConfig();
  const runtime = {
    getSchema: async () => undefined as never,
    async getResultForParams({ params }: { readonly params: object }) {
      onRun(params);
      return { data: {} };
    },
  } as WebSocketDeps["runtime"];
  const webSockets = createWebSockets({
    runtime,
    callers: createCallers(config),
    charge: () => undefined,
    connections: createOpenConnections(config.subscriptions),
    settings: config.subscriptions,
    logger: createLogger("silent"),
    direct: null,
  });
  const { upgrade } = webSockets;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler: () => {}, upgrade });
  return {
    url: `ws://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await webSockets[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Runs an operation over a WebSocket. Returns what the runtime gets. */
async function paramsOf(payload: { readonly query: string; readonly extensions?: Record<string, unknown> }) {
  const given: unknown[] = [];
  await using served = await serve((params) => given.push(params));
  const client = createClient({ url: served.url, webSocketImpl: WebSocket });
  await client.iterate(payload).next();
  await client.dispose();
  return given[0];
}

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, "graphql-transport-ws");
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  return socket;
}

const query = "{ __typename }";

describe("an operation over WebSocket", () => {
  it("is passed on without extensions that nothing reads", async () => {
    expect(await paramsOf({ query, extensions: { large: "x".repeat(100_000) } })).toEqual({ query });
  });

  it("is passed on with the hash of its document, and with no other extension", async () => {
    const persistedQuery = { version: 1, sha256Hash: "abc" };
    const params = await paramsOf({ query, extensions: { persistedQuery, large: "x" } });
    expect(params).toEqual({ query, extensions: { persistedQuery } });
  });
});

describe("operations of many WebSockets that arrive together", () => {
  it("begin in several iterations of the event loop, so that other requests are answered between them", async () => {
    const SOCKETS = 60;
    let iterations = 0;
    const begun: number[] = [];
    await using served = await serve(() => begun.push(iterations));
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => connect(served.url)));
    for (const socket of sockets) socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }));
    for (; begun.length < SOCKETS; iterations++) await setImmediate();
    const counts = new Map<number, number>();
    for (const iteration of begun) counts.set(iteration, (counts.get(iteration) ?? 0) + 1);
    // The limit is 10. Iterations as the test counts them may contain parts of two.
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(20);
    for (const socket of sockets) socket.terminate();
  });
});
