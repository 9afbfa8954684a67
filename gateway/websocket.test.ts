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
