import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import pino from "pino";
import WebSocket from "ws";
import { recordRejections } from "../test/support/metrics.ts";
import { exchangeBytes } from "../test/support/node/listen.ts";
import { expectSecureAnswer } from "../test/support/security-headers.ts";
import { createGraphQLWebSocketServer, type GraphQLWebSocketOptions } from "./graphql-ws-server.ts";
import { startServer } from "./server.ts";

const LARGE = "x".repeat(200_000);

async function* endless(): AsyncGenerator<ExecutionResult> {
  for (;;) {
    await setImmediate();
    yield { data: { LARGE } };
  }
}

async function serve(options: Omit<GraphQLWebSocketOptions, "logger">) {
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

describe("a handshake that is refused", () => {
  const HANDSHAKE = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";

  it("because it is wrong gets 400 with security headers and the versions of the protocol", async () => {
    await using served = await serve({ run: async () => [] });
    const answer = await exchangeBytes(served.port, `${HANDSHAKE}\r\n`);
    expectSecureAnswer(answer, 400);
    expect(answer).toMatch(/\r\nsec-websocket-version: 13, 8\r\n/);
  });

  it("because the server stops gets 503 with security headers", async () => {
    await using served = await serve({ run: async () => [] });
    served.sockets.closeAll();
    expectSecureAnswer(await exchangeBytes(served.port, `${HANDSHAKE}\r\n`), 503);
  });
});

describe("a WebSocket whose client reads nothing", () => {
  it("is closed with code 1013 when events have been unread for some time", async () => {
    const rejected = await recordRejections();
    const limits = { operations: 1, unreadBytes: 65_536, unreadMs: 50, idleMs: 60_000 };
    let isEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      isEnded = resolve;
    });
    async function* watched() {
      try {
        yield* endless();
      } finally {
        isEnded();
      }
    }
    await using served = await serve({ limits, run: async () => watched() });
    const socket = new WebSocket(served.url, "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: "subscription { endless }" } }));
    await once(socket, "message");
    socket.pause();
    // The server ends the connection some seconds later, if the client does not read on.
    const resumed = setTimeout(() => socket.resume(), 1_000);
    const [code, reason] = await once(socket, "close");
    clearTimeout(resumed);
    expect({ code, reason: String(reason) }).toEqual({ code: 1013, reason: "The client reads too slowly" });
    expect(await rejected("slow_consumer")).toBe(1);
    await ended;
  });
});
