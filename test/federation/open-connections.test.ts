import { once } from "node:events";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import WebSocket from "ws";
import { startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Rejection } from "../../core/observability/rejections.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { createGraph } from "../../gateway/graph.ts";
import { testConfig } from "../support/config.ts";
import { recordRejections } from "../support/metrics.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { held: Int large: String }
  type Subscription { silent: Int endless: String }`;
const LARGE = "x".repeat(200_000);
const TIMEOUT_MS = 9_000;

let rejected: (reason: Rejection) => Promise<number>;
beforeAll(async () => {
  rejected = await recordRejections();
});

let answerHeld = () => {};
let heldRequests = 0;
let events = 0;

async function* silent(): AsyncGenerator<{ silent: number }> {
  yield { silent: 1 };
  await new Promise(() => {});
}

async function* endless(): AsyncGenerator<{ endless: string }> {
  for (;;) {
    events++;
    await setImmediate();
    yield { endless: LARGE };
  }
}

const resolvers = {
  Query: {
    large: () => LARGE,
    held: () =>
      new Promise<number>((resolve) => {
        heldRequests++;
        answerHeld = () => resolve(1);
      }),
  },
  Subscription: { silent: { subscribe: silent }, endless: { subscribe: endless } },
};
const schema = buildSubgraphSchema({ typeDefs: parse(SDL), resolvers: resolvers as never });
const supergraph = composeSupergraph([{ name: "only", url: "http://only", sdl: SDL }]);

async function serve(settings: object = {}, delaySeconds = 0) {
  const config = testConfig({ apiKeys: [{ key: "key-of-a-customer" }], ...settings });
  const logger = createLogger("silent");
  const graph = createGraph({ supergraph, subgraphs: [{ name: "only", schema, context: () => ({}) }], logger, config });
  const { handle: handler, upgrade, endSubscriptions: onDrain } = graph;
  const shutdown = { delaySeconds, limitSeconds: 10 };
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade, onDrain, shutdown });
  return {
    url: `http://127.0.0.1:${server.port}/graphql`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

/** A connected client of graphql-transport-ws that records what it receives. */
async function connect(url: string, payload: object = {}) {
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws");
  const messages: { readonly type: string; readonly payload?: unknown }[] = [];
  const closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
  socket.on("message", (text) => messages.push(JSON.parse(String(text))));
  await once(socket, "open");
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: "connection_init", payload });
  let id = 0;
  return {
    socket,
    messages,
    closed,
    subscribe: (query: string) => send({ id: `${++id}`, type: "subscribe", payload: { query } }),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

const isAcknowledged = ({ messages }: Awaited<ReturnType<typeof connect>>) => messages.length > 0;

function openStream(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: JSON.stringify({ query: "subscription { silent }" }),
  });
}

describe("a gateway that shuts down", () => {
  it(
    "answers the running query of a WebSocket, refuses further operations on it, and closes it with 1001",
    async () => {
      const served = await serve();
      const client = await connect(served.url);
      await until(() => isAcknowledged(client));
      client.subscribe("{ held }");
      await until(() => heldRequests === 1);
      const stopped = served[Symbol.asyncDispose]();
      client.subscribe("{ large }");
      await until(() => client.messages.length === 2);
      answerHeld();
      expect(await client.closed).toEqual({ code: 1001, reason: "Going away" });
      expect(client.messages.slice(1)).toMatchObject([
        { id: "2", payload: [{ message: "the server is shutting down", extensions: { code: "UNAVAILABLE" } }] },
        { id: "1", payload: { data: { held: 1 } } },
        { id: "1", type: "complete" },
      ]);
      expect(await rejected("shutting_down")).toBe(1);
      await stopped;
    },
    TIMEOUT_MS,
  );

  it("refuses new event streams, and closes their connections", async () => {
    const served = await serve({}, 0.5);
    const before = await openStream(served.url);
    expect(before.headers.get("connection")).toBe("keep-alive");
    const stopped = served[Symbol.asyncDispose]();
    const response = await openStream(served.url);
    expect([response.status, response.headers.get("connection")]).toEqual([503, "close"]);
    expect(await response.text()).toContain("UNAVAILABLE");
    await before.text();
    await stopped;
  });

  it(
    "tells event streams the reason before it ends them",
    async () => {
      const served = await serve();
      const response = await openStream(served.url);
      let text = "";
      const reading = (async () => {
        for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
      })();
      await until(() => text.includes('"silent":1'));
      await served[Symbol.asyncDispose]();
      await reading;
      expect(text).toMatch(
        /"silent":1[\s\S]*"message":"the server is shutting down, subscribe again"[\s\S]*"code":"UNAVAILABLE"[^:]*\n\n$/,
      );
    },
    TIMEOUT_MS,
  );
});

describe("the limits of open connections", () => {
  it("refuse the operations of a WebSocket that exceed their number", async () => {
    await using served = await serve({ subscriptions: { operationsPerSocket: 1 } });
    const client = await connect(served.url);
    await until(() => isAcknowledged(client));
    client.subscribe("subscription { silent }");
    client.subscribe("{ large }");
    await until(() => client.messages.length === 3);
    expect(client.messages.find(({ type }) => type === "error")).toMatchObject({
      id: "2",
      payload: [
        {
          message: "a connection may run at most 1 operations at the same time",
          extensions: { code: "RATE_LIMITED" },
        },
      ],
    });
    expect(await rejected("too_many_subscriptions")).toBe(1);
  });

  it("refuse subscriptions of a caller whose documents are too long together", async () => {
    await using served = await serve();
    const clients = [await connect(served.url), await connect(served.url)] as const;
    for (const client of clients) await until(() => isAcknowledged(client));
    const query = `subscription { silent } #${"x".repeat(99_000)}`;
    const errors = () =>
      JSON.stringify(clients.flatMap(({ messages }) => messages)).match(/have more than 1,000,000 ch/g);
    for (let half = 0; half < 5; half++) for (const { subscribe } of clients) subscribe(query);
    await until(() => clients.every(({ messages }) => messages.length === 6));
    expect(errors()).toBeNull();
    clients[0].subscribe(query);
    await until(() => errors() !== null);
    for (const { socket, closed } of clients) {
      socket.close();
      await closed;
    }
    const later = await connect(served.url);
    await until(() => isAcknowledged(later));
    later.subscribe(query);
    await until(() => later.messages.length > 1);
    expect(later.messages[1]).toMatchObject({ payload: { data: { silent: 1 } } });
    later.socket.close();
    await later.closed;
  });

  it("count WebSockets and event streams of a caller together, and those of a key apart from its address", async () => {
    await using served = await serve({ subscriptions: { connectionsPerCaller: 2 } });
    const key = { "x-service-api-key": "key-of-a-customer" };
    const first = await connect(served.url);
    await until(() => isAcknowledged(first));
    const stream = new AbortController();
    const events = await fetch(`${served.url}?query=subscription{silent}`, {
      headers: { accept: "text/event-stream" },
      signal: stream.signal,
    });
    expect(events.status).toBe(200);
    expect(await (await connect(served.url)).closed).toEqual({ code: 4429, reason: "Too many connections" });
    const refused = await openStream(served.url);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.text()).toContain('"code":"RATE_LIMITED"');
    expect(await rejected("too_many_subscriptions")).toBe(4);
    const other = await connect(served.url, key);
    await until(() => isAcknowledged(other));
    first.socket.close();
    await first.closed;
    stream.abort();
    for (;;) {
      const again = await connect(served.url);
      const isOpen = await Promise.race([
        again.closed.then(() => false),
        until(() => isAcknowledged(again)).then(() => true),
      ]);
      if (isOpen) break;
    }
  });

  it("stop reading the events of a subscription while its client does not read them", async () => {
    await using served = await serve({ subscriptions: { unreadBytes: 65_536 } });
    const client = await connect(served.url);
    await until(() => isAcknowledged(client));
    events = 0;
    client.subscribe("subscription { endless }");
    await until(() => events > 0);
    client.socket.pause();
    let last = 0;
    // The kernel holds some of them.
    for (let same = 0; same < 20; same = events === last ? same + 1 : 0) {
      last = events;
      await sleep(5);
    }
    client.socket.resume();
    await until(() => events > last + 20);
    client.socket.terminate();
  });

  it("close a WebSocket without operations after some time", async () => {
    await using served = await serve({ subscriptions: { idleSeconds: 1 } });
    const [idle, busy] = [await connect(served.url), await connect(served.url)];
    await until(() => isAcknowledged(busy));
    busy.subscribe("subscription { silent }");
    expect(await idle.closed).toEqual({ code: 1000, reason: "Idle" });
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
  });
});
