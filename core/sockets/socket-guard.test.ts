import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import WebSocket from "ws";
import { recordRejections } from "../../test/support/metrics.ts";
import { connect, failing, messagesTo, serve, subscribe, until } from "../../test/support/web-sockets.ts";
import { NO_WEB_SOCKET_LIMITS } from "./graphql-ws-server.ts";

const LARGE = "x".repeat(200_000);

async function* endless(): AsyncGenerator<ExecutionResult> {
  for (;;) {
    await setImmediate();
    yield { data: { LARGE } };
  }
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
    "starts no operation while too many bytes are unread, and all when its client reads on (%d at a time)",
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
    const limits = { ...NO_WEB_SOCKET_LIMITS, operations: 1, unreadBytes: 65_536, idleMs: 60_000 };
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
    let tcp: Socket | undefined;
    await using served = await serve({
      limits,
      async run(_, { request }) {
        tcp = request.socket;
        return watched();
      },
    });
    const socket = await connect(served.url);
    socket.send(subscribe("1"));
    await once(socket, "message");
    socket.pause();
    await until(() => tcp?.timeout === 10_000);
    // Node.js emits it after this time without progress.
    tcp?.emit("timeout");
    // The server ends the connection some seconds later, if the client does not read on.
    const resumed = setTimeout(() => socket.resume(), 1_000);
    const [code, reason] = await once(socket, "close");
    clearTimeout(resumed);
    expect({ code, reason: String(reason) }).toEqual({ code: 1013, reason: "The client reads too slowly" });
    expect(await rejected("slow_consumer")).toBe(1);
    await ended;
  });
});
