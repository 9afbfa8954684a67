import { once } from "node:events";
import type { Socket } from "node:net";
import pino from "pino";
import WebSocket from "ws";
import { exchangeBytes } from "../../test/support/node/listen.ts";
import { expectNotStored, expectSecureAnswer } from "../../test/support/security-headers.ts";
import { connect, failing, messagesTo, serve, subscribe, until } from "../../test/support/web-sockets.ts";
import { startServer } from "../http/server.ts";
import { createGraphQLWebSocketServer, NO_WEB_SOCKET_LIMITS } from "./graphql-ws-server.ts";

/** The TCP connection of a client. */
interface Connected {
  readonly tcp: Socket;
}

describe("an operation of a WebSocket", () => {
  it("is refused if the messages of all that run are too large together, and runs when others have ended", async () => {
    const limits = { ...NO_WEB_SOCKET_LIMITS, operationBytes: 1_000 };
    await using served = await serve({ limits, run: async () => failing().events });
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    const large = { x: "x".repeat(700) };
    for (const id of ["1", "2"]) socket.send(subscribe(id, large));
    await until(() => messages.length === 1);
    expect(messages).toEqual([
      "2 error the messages that started the running operations of a connection may have at most 1000 bytes",
    ]);
    socket.send(JSON.stringify({ id: "1", type: "complete" }));
    for (const id of ["3", "4"]) socket.send(subscribe(id, large));
    await until(() => messages.length === 2);
    expect(messages[1]).toMatch(/^4 error/);
    socket.terminate();
  });

  it("is refused if its id is too long", async () => {
    await using served = await serve({ run: async () => failing().events });
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    socket.send(subscribe("x".repeat(257)));
    await until(() => messages.length === 1);
    expect(messages[0]).toMatch(/ error the id of an operation may have at most 256 characters$/);
    socket.terminate();
  });

  it("sends nothing more after its client has completed it, also if its event fails and its id is in use again", async () => {
    const subscriptions = [failing(), failing()];
    let started = 0;
    await using served = await serve({
      run: async () => (subscriptions[started++] as (typeof subscriptions)[0]).events,
    });
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    socket.send(subscribe("1"));
    await until(() => started === 1);
    socket.send(JSON.stringify({ id: "1", type: "complete" }));
    socket.send(subscribe("1"));
    await until(() => started === 2);
    subscriptions[0]?.fail();
    socket.send(JSON.stringify({ type: "ping" }));
    await until(() => messages.length > 0);
    expect(messages).toEqual([" pong"]);
    socket.terminate();
  });
});

describe("a WebSocket whose client sends many messages at once", () => {
  it("has one of them read at a time, so that a message of another client is read before the last", async () => {
    const FLOOD = 500;
    const started: string[] = [];
    await using served = await serve({
      run: async (_, { request }) => {
        started.push(String(request.headers["x-request-id"]));
        return failing().events;
      },
    });
    const flooding = await connect(served.url, "flooding");
    const other = await connect(served.url, "other");
    // All are sent before the server, in this process, reads any. It reads 64 KiB at once.
    for (let at = 0; at < FLOOD; at++) flooding.send(subscribe(String(at)));
    await until(() => started.length > 0);
    other.send(subscribe("1"));
    await until(() => started.length === FLOOD + 1);
    expect(started.indexOf("other")).toBeLessThan(FLOOD);
    for (const socket of [flooding, other]) socket.terminate();
  });
});

describe("an operation of a WebSocket that fails because of a bug", () => {
  it("closes the connection with code 4500 and is one line in the log, and graphql-ws prints nothing", async () => {
    const printed: unknown[] = [];
    const printError = console.error;
    console.error = (...values: unknown[]) => void printed.push(values);
    const logged: unknown[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    await using served = await serve({ logger, run: () => Promise.reject(new Error("a bug")) });
    const socket = await connect(served.url);
    socket.send(subscribe("1"));
    const [code] = await once(socket, "close");
    console.error = printError;
    expect({ code, printed }).toEqual({ code: 4500, printed: [] });
    expect(logged).toMatchObject([{ msg: "a WebSocket message could not be handled", err: { message: "a bug" } }]);
  });
});

describe("the place of a WebSocket that closes", () => {
  it("is free before its operations end, for which many connections that close together have to wait", async () => {
    const order: string[] = [];
    await using served = await serve({
      admit: () => () => void order.push("free"),
      async run(_, { work }) {
        work.onCancel.add(() => void order.push("cancelled"));
        return failing().events;
      },
    });
    const socket = await connect(served.url);
    socket.send(subscribe("1"));
    socket.send(JSON.stringify({ type: "ping" }));
    await once(socket, "message");
    socket.close();
    await until(() => order.length === 2);
    expect(order).toEqual(["free", "cancelled"]);
  });
});

describe("a server of WebSockets that is disposed", () => {
  it("has cancelled the operations of all connections, also if many have closed together", async () => {
    let started = 0;
    let cancelled = 0;
    const sockets = createGraphQLWebSocketServer({
      logger: pino({ level: "silent" }),
      async run(_, { work }) {
        started++;
        work.onCancel.add(() => void cancelled++);
        return failing().events;
      },
    });
    const { upgrade } = sockets;
    await using server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler: () => {}, upgrade });
    const url = `ws://127.0.0.1:${server.port}`;
    const clients = await Promise.all(Array.from({ length: 30 }, () => connect(url)));
    for (const client of clients) client.send(subscribe("1"));
    await until(() => started === 30);
    for (const client of clients) client.terminate();
    await sockets[Symbol.asyncDispose]();
    expect(cancelled).toBe(30);
  });
});

describe("a WebSocket whose client leaves without a close message", () => {
  const reset = ({ tcp }: Connected) => void tcp.resetAndDestroy();
  const end = ({ tcp }: Connected) => void tcp.destroy();

  /** The reasons that the server logs until it has noticed that the client has left. */
  async function loggedFor(
    sendMessages: (socket: WebSocket) => Promise<void>,
    leave: (connected: Connected) => void,
  ): Promise<unknown[]> {
    const logged: unknown[] = [];
    const logger = pino({ level: "info" }, { write: (line: string) => void logged.push(JSON.parse(line).reason) });
    let left = () => {};
    const released = new Promise<void>((resolve) => {
      left = resolve;
    });
    await using served = await serve({
      logger,
      admit: () => left,
      run: async ({ query }) => (query.startsWith("subscription") ? failing().events : { data: {} }),
    });
    const socket = new WebSocket(served.url, "graphql-transport-ws");
    const [[{ socket: tcp }]] = await Promise.all([once(socket, "upgrade"), once(socket, "open")]);
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    await sendMessages(socket);
    leave({ tcp });
    await released;
    return logged;
  }

  const startSubscription = async (socket: WebSocket) => {
    const messages = messagesTo(socket);
    socket.send(subscribe("1"));
    socket.send(JSON.stringify({ type: "ping" }));
    await until(() => messages.length === 1);
  };

  const runQuery = async (socket: WebSocket) => {
    const messages = messagesTo(socket);
    socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: "{ any }" } }));
    await until(() => messages.includes("1 complete"));
  };

  it("is logged if the connection is reset while an operation runs", async () => {
    expect(await loggedFor(startSubscription, reset)).toEqual(["read ECONNRESET"]);
  });

  it("is not logged if the connection is reset while no operation runs", async () => {
    expect(await loggedFor(runQuery, reset)).toEqual([]);
  });

  it("is not logged if the connection ends", async () => {
    expect(await loggedFor(startSubscription, end)).toEqual([]);
  });
});

describe("a handshake that is refused", () => {
  const HANDSHAKE = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";

  it("because it is wrong gets 400 with security headers and the versions of the protocol", async () => {
    await using served = await serve({ run: async () => [] });
    const answer = await exchangeBytes(served.port, `${HANDSHAKE}\r\n`);
    expectSecureAnswer(answer, 400);
    expectNotStored(answer);
    expect(answer).toMatch(/\r\nsec-websocket-version: 13, 8\r\n/);
  });

  it("because it has an unknown version gets a GraphQL error and the versions of the protocol", async () => {
    await using served = await serve({ run: async () => [] });
    const version = "Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const answer = await exchangeBytes(served.port, `${HANDSHAKE}${version}\r\n`);
    const [head, body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nsec-websocket-version: 13, 8(\r\n|$)/);
    expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/);
    const message = "the WebSocket handshake is refused: Missing or invalid Sec-WebSocket-Version header";
    expect(JSON.parse(body)).toEqual({ errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] });
  });

  it("because the server stops gets 503 with security headers", async () => {
    await using served = await serve({ run: async () => [] });
    served.sockets.closeAll();
    const answer = await exchangeBytes(served.port, `${HANDSHAKE}\r\n`);
    expectSecureAnswer(answer, 503);
    expectNotStored(answer);
    expect(answer).toMatch(/\r\nretry-after: 1\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"errors":\[\{"message":"the server is shutting down",/);
  });

  it.each([
    ["runs", 400],
    ["stops", 503],
  ])("gets no body if its method is HEAD, while the server %s", async (state, status) => {
    await using served = await serve({ run: async () => [] });
    if (state === "stops") served.sockets.closeAll();
    const answer = await exchangeBytes(served.port, `${HANDSHAKE.replace("GET", "HEAD")}\r\n`);
    expectSecureAnswer(answer, status);
    expect(answer.split("\r\n\r\n")[1]).toBe("");
  });

  it("gets the request id that it has", async () => {
    await using served = await serve({ run: async () => [] });
    const answer = await exchangeBytes(served.port, `${HANDSHAKE}x-request-id: given\r\n\r\n`);
    expect(answer).toMatch(/\r\nx-request-id: given\r\n/);
  });
});
