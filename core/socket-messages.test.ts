import { once } from "node:events";
import type WebSocket from "ws";
import { recordRejections } from "../test/support/metrics.ts";
import { connect, messagesTo, serve, subscribe, until } from "../test/support/web-sockets.ts";
import { NO_WEB_SOCKET_LIMITS, type WebSocketLimits } from "./graphql-ws-server.ts";
import { currentScope } from "./observability/request-scope.ts";
import { MESSAGE_OVERHEAD } from "./socket-messages.ts";

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
