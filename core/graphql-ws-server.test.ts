import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nodeImmediate } from "node:timers";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import pino from "pino";
import WebSocket from "ws";
import { keepBusy } from "../test/support/keep-busy.ts";
import { recordRejections } from "../test/support/metrics.ts";
import { exchangeBytes } from "../test/support/node/listen.ts";
import { expectNotStored, expectSecureAnswer } from "../test/support/security-headers.ts";
import {
  createGraphQLWebSocketServer,
  type GraphQLWebSocketOptions,
  NO_WEB_SOCKET_LIMITS,
  type WebSocketLimits,
} from "./graphql-ws-server.ts";
import { currentScope } from "./observability/request-scope.ts";
import { startServer } from "./server.ts";
import { MESSAGE_OVERHEAD } from "./socket-messages.ts";

const LARGE = "x".repeat(200_000);

async function* endless(): AsyncGenerator<ExecutionResult> {
  for (;;) {
    await setImmediate();
    yield { data: { LARGE } };
  }
}

async function serve(
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

async function connect(url: string, requestId = "test"): Promise<WebSocket> {
  const socket = new WebSocket(url, "graphql-transport-ws", { headers: { "x-request-id": requestId } });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  return socket;
}

const subscribe = (id: string, extensions = {}): string =>
  JSON.stringify({ id, type: "subscribe", payload: { query: "subscription { any }", extensions } });

/** The messages that a client gets, as their id, type and first error. */
function messagesTo(socket: WebSocket): string[] {
  const messages: string[] = [];
  socket.on("message", (bytes) => {
    const { id, type, payload } = JSON.parse(String(bytes));
    messages.push([id, type, ...(Array.isArray(payload) ? [payload[0].message] : [])].join(" "));
  });
  return messages;
}

/** The TCP connection of a client. */
interface Connected {
  readonly tcp: Socket;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** A subscription that waits for its first event until `fail` is called. */
function failing() {
  let fail = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new Error("the event cannot be made"));
  });
  const events: AsyncIterable<ExecutionResult> = { [Symbol.asyncIterator]: () => ({ next: () => failed }) };
  return { events, fail };
}

describe("a WebSocket", () => {
  it("stays open while operations run again and again, however short they are, and is closed later", async () => {
    const limits = { ...NO_WEB_SOCKET_LIMITS, idleMs: 1_000 };
    await using served = await serve({ limits, run: async () => ({ data: {} }) });
    const socket = await connect(served.url);
    const closed = once(socket, "close");
    const messages = messagesTo(socket);
    for (let id = 1; id <= 12; id++) {
      socket.send(subscribe(String(id)));
      await until(() => messages.length === 2 * id);
      await sleep(200);
    }
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(String((await closed)[1])).toBe("Idle");
  });
});

describe("a WebSocket whose client answers no ping", () => {
  it("is closed after four pings; one answer begins the count again", async () => {
    const limits = { ...NO_WEB_SOCKET_LIMITS, idleMs: 200 };
    await using served = await serve({ limits, run: async () => failing().events });
    const socket = new WebSocket(served.url, "graphql-transport-ws", { autoPong: false });
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    // It would be closed earlier if no operation ran.
    socket.send(subscribe("1"));
    let pings = 0;
    socket.on("ping", () => {
      pings++;
      if (pings === 3) socket.pong();
    });
    const [code] = await once(socket, "close");
    expect(code).toBe(1006);
    // The answer may arrive after the next ping.
    expect([7, 8]).toContain(pings);
  });
});

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

describe("many WebSockets whose clients send messages at the same time", () => {
  it("do not have all of them handled in one iteration of the event loop, but those of a connection in their order", async () => {
    const SOCKETS = 6;
    let iterations = 0;
    let next = nodeImmediate(function count() {
      iterations++;
      next = nodeImmediate(count);
    });
    const handled: { readonly from: string; readonly id: unknown; readonly iteration: number }[] = [];
    await using served = await serve({
      async run({ extensions }, { request }) {
        handled.push({ from: String(request.headers["x-request-id"]), id: extensions?.["id"], iteration: iterations });
        keepBusy(11);
        return failing().events;
      },
    });
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, (_, at) => connect(served.url, String(at))));
    // All are sent before the server, in this process, reads any.
    for (const id of ["1", "2"]) for (const socket of sockets) socket.send(subscribe(id, { id }));
    await until(() => handled.length === 2 * SOCKETS);
    clearImmediate(next);
    // The first message of an iteration uses up the time. Two iterations may have been counted as one.
    expect(new Set(handled.map(({ iteration }) => iteration)).size).toBeGreaterThan(SOCKETS);
    for (let at = 0; at < SOCKETS; at++)
      expect(handled.filter(({ from }) => from === String(at)).map(({ id }) => id)).toEqual(["1", "2"]);
    for (const socket of sockets) socket.terminate();
  });
});

/** A server with one place for each caller: the client's `x-request-id`. Operations run until `end` is called or they are cancelled. */
async function serveOnePlace(limits: Partial<WebSocketLimits> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const served = await serve({
    limits: { ...NO_WEB_SOCKET_LIMITS, operations: 3, idleMs: 60_000, starting: 1, ...limits },
    admit: ({ request }) => ({ caller: String(request.headers["x-request-id"]), release() {} }),
    async run({ extensions }) {
      const name = String(extensions?.["name"]);
      await new Promise<void>((resolve) => {
        ends.set(name, resolve);
        currentScope()?.work.onCancel.add(resolve);
        started.push(name);
      });
      return { data: {} };
    },
  });
  const untilStarted = (...names: string[]) =>
    until(() => started.length >= names.length).then(() => expect([...started].sort()).toEqual(names));
  return {
    ...served,
    untilStarted,
    started: () => started.length,
    end: (name: string) => ends.get(name)?.(),
    async [Symbol.asyncDispose]() {
      // The server stops when all operations have ended.
      for (const end of ends.values()) end();
      await served[Symbol.asyncDispose]();
    },
  };
}
const named = (name: string, id = name) => subscribe(id, { name });

describe("an operation of a WebSocket whose caller has as many operations without an outcome as it may have", () => {
  it("starts when another one has an outcome, whatever connection it came over, and delays no other caller", async () => {
    await using served = await serveOnePlace();
    const [one, two, other] = await Promise.all(["a", "a", "b"].map((caller) => connect(served.url, caller)));
    one?.send(named("1"));
    await served.untilStarted("1");
    one?.send(named("2"));
    two?.send(named("3"));
    other?.send(named("4"));
    await served.untilStarted("1", "4");
    served.end("1");
    await until(() => served.started() > 2);
    expect(served.started()).toBe(3);
    served.end("2");
    served.end("3");
    await served.untilStarted("1", "2", "3", "4");
  });

  it("starts when the client completes another one of the same connection", async () => {
    await using served = await serveOnePlace();
    const socket = await connect(served.url);
    socket.send(named("1"));
    await served.untilStarted("1");
    socket.send(JSON.stringify({ id: "1", type: "complete" }));
    socket.send(named("2"));
    await served.untilStarted("1", "2");
  });

  it("starts after operations that are refused, and after messages that start none", async () => {
    await using served = await serveOnePlace();
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    socket.send(named("0", "x".repeat(257)));
    socket.send(JSON.stringify({ type: "ping", payload: { type: "subscribe" } }));
    socket.send(named("1"));
    await served.untilStarted("1");
    expect(messages.map((message) => message.split(" ")[1])).toEqual(["error", "pong"]);
  });

  it("waits also if its message spells its type with escapes", async () => {
    await using served = await serveOnePlace();
    const [socket, other] = await Promise.all(["a", "b"].map((caller) => connect(served.url, caller)));
    socket?.send(named("1"));
    await served.untilStarted("1");
    socket?.send(named("2").replace('"subscribe"', '"\\u0073ubscribe"'));
    other?.send(named("3"));
    await served.untilStarted("1", "3");
    served.end("1");
    await served.untilStarted("1", "2", "3");
  });

  /** Resolves when the server has read all that was sent. */
  async function untilRead(socket: WebSocket): Promise<void> {
    socket.ping();
    await once(socket, "pong");
  }

  it("starts when the client completes another one later", async () => {
    await using served = await serveOnePlace();
    const socket = await connect(served.url);
    socket.send(named("1"));
    socket.send(named("2"));
    await untilRead(socket);
    await served.untilStarted("1");
    socket.send(JSON.stringify({ id: "1", type: "complete" }));
    await served.untilStarted("1", "2");
  });

  it("never starts if the client closes the connection while it waits", async () => {
    await using served = await serveOnePlace();
    const [leaving, staying] = await Promise.all([connect(served.url), connect(served.url)]);
    leaving.send(named("1"));
    leaving.send(named("2"));
    await untilRead(leaving);
    leaving.close();
    staying.send(named("3"));
    await served.untilStarted("1", "3");
  });

  it("keeps its connection from being closed because nothing runs on it", async () => {
    await using served = await serveOnePlace({ idleMs: 1_000 });
    const [running, waiting] = await Promise.all([connect(served.url), connect(served.url)]);
    running.send(named("1"));
    await served.untilStarted("1");
    waiting.send(named("2"));
    // The server sends a ping in place of closing the connection, each time that the idle time has passed.
    for (let ping = 0; ping < 2; ping++) await once(waiting, "ping");
    served.end("1");
    await served.untilStarted("1", "2");
  });

  it("never starts if its connection closes, and leaves the place to the next one", async () => {
    await using served = await serveOnePlace();
    const [leaving, staying] = await Promise.all([connect(served.url), connect(served.url)]);
    leaving.send(named("1"));
    await served.untilStarted("1");
    leaving.send(named("2"));
    leaving.send(JSON.stringify({ type: "ping" }));
    staying.send(named("3"));
    leaving.terminate();
    await served.untilStarted("1", "3");
    served.end("3");
    staying.send(named("4"));
    await served.untilStarted("1", "3", "4");
  });
});

describe("a WebSocket whose caller has too many bytes of messages that wait", () => {
  it("is closed with code 1013, and leaves the bytes to the next ones", async () => {
    const rejected = await recordRejections();
    await using served = await serveOnePlace({ waitingBytes: 3 * (named("1").length + MESSAGE_OVERHEAD) });
    const [closing, next] = await Promise.all([connect(served.url), connect(served.url)]);
    const closed = once(closing, "close");
    for (const name of ["1", "2", "3", "4", "5"]) closing.send(named(name));
    const [code, reason] = await closed;
    expect({ code, reason: String(reason) }).toEqual({ code: 1013, reason: "Too many messages wait" });
    expect(await rejected("overloaded")).toBe(1);
    for (const name of ["6", "7", "8", "9"]) next.send(named(name));
    await served.untilStarted("1", "6");
    for (const name of ["6", "7", "8"]) {
      served.end(name);
      await until(() => served.started() > Number(name) - 4);
    }
    await served.untilStarted("1", "6", "7", "8", "9");
  });
});

describe("the place of a WebSocket that closes", () => {
  it("is free before its operations end, for which many connections that close together have to wait", async () => {
    const order: string[] = [];
    await using served = await serve({
      admit: () => ({ caller: "", release: () => void order.push("free") }),
      async run() {
        currentScope()?.work.onCancel.add(() => void order.push("cancelled"));
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
      async run() {
        started++;
        currentScope()?.work.onCancel.add(() => void cancelled++);
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
      admit: () => ({ caller: "", release: left }),
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

describe("a WebSocket whose client reads nothing", () => {
  it("counts the results of all its operations as unread bytes", async () => {
    const operations = 100;
    let tcp: Socket | undefined;
    let start = () => {};
    let waiting = 0;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const limits = { ...NO_WEB_SOCKET_LIMITS, unreadBytes: 65_536, idleMs: 60_000 };
    await using served = await serve({
      limits,
      async run(_, { request }) {
        tcp = request.socket;
        const place = waiting++;
        await started;
        // Not all at the same time: each is to find the bytes of those before it.
        for (let before = 0; before < place; before++) await setImmediate();
        return { data: { LARGE } };
      },
    });
    const socket = await connect(served.url);
    socket.pause();
    for (let id = 0; id < operations; id++) socket.send(subscribe(String(id)));
    await until(() => waiting === operations);
    start();
    // The kernel takes some of them.
    await until(() => (tcp?.writableLength ?? 0) > (operations * LARGE.length) / 2);
    socket.terminate();
  });

  it.each([Number.POSITIVE_INFINITY, 2])(
    "starts no operation while too many bytes are unread, and all when its client reads on (%d of a caller at a time)",
    async (starting) => {
      const operations = 100;
      let started = 0;
      let tcp: Socket | undefined;
      const limits = { ...NO_WEB_SOCKET_LIMITS, starting, unreadBytes: 65_536, idleMs: 60_000 };
      await using served = await serve({
        limits,
        async run(_, { request }) {
          tcp = request.socket;
          started++;
          await setImmediate();
          return { data: { LARGE } };
        },
      });
      const socket = await connect(served.url);
      const messages = messagesTo(socket);
      socket.pause();
      for (let id = 0; id < operations; id++) socket.send(subscribe(String(id)));
      await until(() => (tcp?.writableLength ?? 0) > limits.unreadBytes);
      // Those that run have an outcome soon. The kernel takes 30 of them at most.
      await sleep(200);
      expect(started).toBeLessThan(operations);
      socket.resume();
      await until(() => messages.length === 2 * operations);
      expect(new Set(messages).size).toBe(2 * operations);
      socket.terminate();
    },
  );

  it("is closed with code 1013 when events have been unread for some time", async () => {
    const rejected = await recordRejections();
    const limits = { ...NO_WEB_SOCKET_LIMITS, operations: 1, unreadBytes: 65_536, unreadMs: 50, idleMs: 60_000 };
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
    const socket = await connect(served.url);
    socket.send(subscribe("1"));
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
