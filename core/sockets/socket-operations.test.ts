import type { ExecutionResult } from "graphql";
import { connect, messagesTo, serve, subscribe, until } from "../../test/support/web-sockets.ts";
import { NO_WEB_SOCKET_LIMITS, type WebSocketLimits } from "./graphql-ws-server.ts";

/** A server that starts one operation of a connection at a time. Operations run until `end` is called or they are cancelled. */
async function serveOneByOne(limits: Partial<WebSocketLimits> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const served = await serve({
    limits: { ...NO_WEB_SOCKET_LIMITS, idleMs: 60_000, starting: 1, ...limits },
    async run({ extensions }, { work }) {
      const name = String(extensions?.["name"]);
      await new Promise<void>((resolve) => {
        ends.set(name, resolve);
        work.onCancel.add(resolve);
        started.push(name);
      });
      return { data: {} };
    },
  });
  return {
    ...served,
    end: (name: string) => ends.get(name)?.(),
    untilStarted: (...names: string[]) =>
      until(() => started.length >= names.length).then(() => expect(started).toEqual(names)),
    async [Symbol.asyncDispose]() {
      // The server stops when all operations have ended.
      for (const end of ends.values()) end();
      await served[Symbol.asyncDispose]();
    },
  };
}

const named = (name: string) => subscribe(name, { name });
const complete = (id: string) => JSON.stringify({ id, type: "complete" });

describe("an operation of a WebSocket on which as many others have no outcome as may have none", () => {
  it("starts when one of them has an outcome, and delays no other connection", async () => {
    await using served = await serveOneByOne();
    const [one, other] = [await connect(served.url), await connect(served.url)];
    one.send(named("1"));
    await served.untilStarted("1");
    one.send(named("2"));
    one.send(named("3"));
    other.send(named("4"));
    await served.untilStarted("1", "4");
    served.end("1");
    await served.untilStarted("1", "4", "2");
    served.end("2");
    await served.untilStarted("1", "4", "2", "3");
  });

  it("starts when the client completes one of them, and never if the client completes it first", async () => {
    await using served = await serveOneByOne();
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    for (const name of ["1", "2", "3"]) socket.send(named(name));
    await served.untilStarted("1");
    for (const id of ["2", "1"]) socket.send(complete(id));
    await served.untilStarted("1", "3");
    served.end("3");
    await until(() => messages.length === 2);
    expect(messages).toEqual(["3 next", "3 complete"]);
  });

  it("never starts if the connection closes", async () => {
    await using served = await serveOneByOne();
    const [leaving, staying] = [await connect(served.url), await connect(served.url)];
    for (const name of ["1", "2"]) leaving.send(named(name));
    await served.untilStarted("1");
    leaving.close();
    await new Promise((closed) => leaving.once("close", closed));
    staying.send(named("3"));
    await served.untilStarted("1", "3");
  });

  it("counts as one that runs until the client completes it", async () => {
    await using served = await serveOneByOne({ operations: 2 });
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    for (const name of ["1", "2"]) socket.send(named(name));
    await served.untilStarted("1");
    socket.send(complete("2"));
    for (const name of ["3", "4"]) socket.send(named(name));
    await until(() => messages.length === 1);
    expect(messages).toEqual(["4 error a connection may run at most 2 operations at the same time"]);
    served.end("1");
    await served.untilStarted("1", "3");
  });

  it("closes the connection if its id is that of another one that waits", async () => {
    await using served = await serveOneByOne();
    const socket = await connect(served.url);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    for (const name of ["1", "2", "2"]) socket.send(named(name));
    expect(await closed).toBe(4409);
  });

  it("is refused at once if its id is too long", async () => {
    await using served = await serveOneByOne();
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    const long = "x".repeat(300);
    for (const name of ["1", long]) socket.send(named(name));
    await until(() => messages.length === 1);
    expect(messages).toEqual([`${long} error the id of an operation may have at most 256 characters`]);
    await served.untilStarted("1");
  });

  it("is refused if the server stops before it starts", async () => {
    await using served = await serveOneByOne();
    const socket = await connect(served.url);
    const messages = messagesTo(socket);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    for (const name of ["1", "2"]) socket.send(named(name));
    await served.untilStarted("1");
    served.sockets.closeAll();
    served.end("1");
    expect(await closed).toBe(1001);
    expect(messages).toEqual(["1 next", "1 complete", "2 error the server is shutting down"]);
  });
});

describe("clients that connect again and start all their subscriptions at once", () => {
  it("get the events of all of them, and another client gets its answers meanwhile", async () => {
    const SOCKETS = 40;
    const SUBSCRIPTIONS = 100;
    let running = 0;
    async function* events(): AsyncGenerator<ExecutionResult> {
      running++;
      yield { data: {} };
      await new Promise(() => {});
    }
    await using served = await serve({
      limits: { ...NO_WEB_SOCKET_LIMITS, starting: 10, idleMs: 60_000 },
      run: async ({ query }) => (query.startsWith("subscription") ? events() : { data: {} }),
    });
    const other = await connect(served.url);
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => connect(served.url)));
    const received = sockets.map(messagesTo);
    // All are sent before the server, in this process, reads any.
    for (const socket of sockets) for (let id = 0; id < SUBSCRIPTIONS; id++) socket.send(subscribe(String(id)));
    const answers = messagesTo(other);
    other.send(JSON.stringify({ id: "q", type: "subscribe", payload: { query: "{ any }" } }));
    await until(() => answers.length === 2);
    expect(answers).toEqual(["q next", "q complete"]);
    expect(running).toBeLessThan(SOCKETS * SUBSCRIPTIONS);
    await until(() => received.every((messages) => messages.length === SUBSCRIPTIONS));
    for (const messages of received)
      expect(messages).toEqual(Array.from({ length: SUBSCRIPTIONS }, (_, id) => `${id} next`));
    for (const socket of [...sockets, other]) socket.terminate();
  });
});
