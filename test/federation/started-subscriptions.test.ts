import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import WebSocket from "ws";
import { Failure } from "../../core/errors/errors.ts";
import { startServer } from "../../core/http/server.ts";
import { type ApiKeys, createApiKeys } from "../../core/limits/access/api-keys.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { createGraph, type GraphOptions } from "../../gateway/graph.ts";
import { testConfig } from "../support/config.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { one: Int }
  type Row { number: Int! text: String failing: Int! }
  type Subscription { rows(to: Int!): Row refused: Row broken: Row silent: Row endless: Row }`;
const ROWS = "subscription Rows($to: Int!) { it: rows(to: $to) { number ...Text } } fragment Text on Row { text }";
const KEY = "key-of-a-customer";
const LARGE = "x".repeat(200_000);

/** Operations that the subgraph got. */
let operations = 0;

let events = 0;
let ended = 0;

async function* rows(_: unknown, { to }: { readonly to: number }) {
  for (let number = 1; number <= to; number++) yield { rows: { number, text: "x".repeat(number) } };
}

async function* endless() {
  for (;;) {
    events++;
    await setImmediate();
    yield { endless: { text: LARGE } };
  }
}

/** One event, then a failure. Its end is counted. */
function broken() {
  let isFirst = true;
  return {
    ...silent(),
    async next() {
      if (!isFirst) throw new Error("a secret of the database");
      isFirst = false;
      return { done: false, value: { broken: { number: 1 } } };
    },
  };
}

/** One event. Waits for its end afterwards, and counts it. */
function silent() {
  let isFirst = true;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (!isFirst) return new Promise(() => {});
      isFirst = false;
      return { done: false, value: { silent: { number: 1 } } };
    },
    async return() {
      ended++;
      return { done: true, value: undefined };
    },
  };
}

const resolvers = {
  Row: {
    failing({ number }: { readonly number: number }) {
      if (number === 2) throw new Failure("NOT_FOUND", "there is no second row");
      return number;
    },
  },
  Subscription: {
    rows: { subscribe: rows },
    refused: {
      subscribe() {
        throw new Failure("UPSTREAM_FAILED", "the node cannot be reached");
      },
    },
    broken: { subscribe: broken },
    silent: { subscribe: silent },
    endless: { subscribe: endless },
  },
};
const schema = buildSubgraphSchema({ typeDefs: parse(SDL), resolvers: resolvers as never });
const supergraph = composeSupergraph([{ name: "only", url: "http://only", sdl: SDL }]);

async function serve(settings: object = {}, options: Pick<GraphOptions, "apiKeys"> = {}) {
  const config = testConfig({ apiKeys: [{ key: KEY }], ...settings });
  const context = (info: object) => {
    operations++;
    return info;
  };
  const subgraphs = [{ name: "only", schema, context }];
  const graph = createGraph({ supergraph, subgraphs, logger: createLogger("silent"), config, ...options });
  const { handle: handler, upgrade, endSubscriptions: onDrain } = graph;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade, onDrain });
  return {
    url: `http://127.0.0.1:${server.port}/graphql`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served[Symbol.asyncDispose]());

interface Operation {
  readonly query: string;
  readonly variables?: object | null;
  readonly operationName?: string | null;
}

/** Opens an event stream. */
async function openStream(
  url: string,
  operation: Operation,
  headers: OutgoingHttpHeaders = {},
): Promise<IncomingMessage> {
  const request = httpRequest(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", "x-request-id": "test", ...headers },
  });
  request.end(JSON.stringify(operation));
  const [response] = await once(request, "response");
  return response;
}

async function readStream(...given: Parameters<typeof openStream>) {
  const response = await openStream(...given);
  const { date: _, ...headers } = response.headers;
  let text = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
  } catch {
    text += "(the connection has closed)";
  }
  return { status: response.statusCode, headers, text };
}

/** Sends messages over one WebSocket, with the same id. Resolves to the answers when the operation has ended, or the socket. */
async function subscribeOverSocket(url: string, payload: Operation, init: object = {}) {
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws");
  const answers: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "connection_ack") socket.send(JSON.stringify({ id: "1", type: "subscribe", payload }));
      else answers.push(message);
      if (message.type === "complete" || message.type === "error") resolve();
    });
    socket.on("close", (code) => {
      answers.push(`closed with ${code}`);
      resolve();
    });
  });
  socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: init })));
  await done;
  const received = [...answers];
  socket.terminate();
  return received;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

const OPERATIONS: [what: string, operation: Operation][] = [
  ["with several events", { query: ROWS, variables: { to: 3 } }],
  ["without an event", { query: ROWS, variables: { to: 0 } }],
  ["with an operation name", { query: ROWS, variables: { to: 1 }, operationName: "Rows" }],
  ["with an error in an event", { query: "subscription { rows(to: 3) { number failing } }" }],
  ["that a subgraph refuses", { query: "subscription { refused { number } }", variables: null }],
  // The message of the failure is not public.
  ["that fails later", { query: "subscription { broken { number } }" }],
];

describe("a subscription", () => {
  it.each(OPERATIONS)("%s has the same event stream when it is started again", async (_, operation) => {
    await using own = await serve();
    const first = await readStream(own.url, operation, { origin: "https://example.org" });
    const second = await readStream(own.url, operation, { origin: "https://example.org" });
    expect(second).toEqual(first);
    expect(first.text).not.toContain("secret");
    expect(first.headers).not.toHaveProperty("content-encoding");
    expect(first.headers).toMatchObject({
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
  });

  it.each(OPERATIONS)("%s has the same messages over WebSocket when it is started again", async (_, operation) => {
    await using own = await serve();
    const first = await subscribeOverSocket(own.url, operation);
    const second = await subscribeOverSocket(own.url, operation);
    expect(second).toEqual(first);
  });

  it("ends its source when the source fails", async () => {
    await using own = await serve();
    ended = 0;
    const { text } = await readStream(own.url, { query: "subscription { broken { number } }" });
    expect(text).toMatch(/"number":1[\s\S]*"message":"internal error"[\s\S]*event: complete/);
    expect(ended).toBeGreaterThan(0);
  });

  it("is refused if the caller has too many event streams, and ends when the server stops", async () => {
    await using own = await serve({ subscriptions: { connectionsPerCaller: 1 } });
    const silently = { query: "subscription { silent { number } }" };
    ended = 0;
    (await openStream(own.url, silently)).destroy();
    await until(() => ended > 0);
    ended = 0;
    const stream = await openStream(own.url, silently);
    const { status, headers, text } = await readStream(own.url, silently);
    expect([status, headers["retry-after"], text.includes("RATE_LIMITED")]).toEqual([429, "1", true]);
    stream.destroy();
    await until(() => ended === 1);
    const last = (await openStream(own.url, silently)).setEncoding("utf8");
    let lastText = "";
    last.on("data", (chunk: string) => {
      lastText += chunk;
    });
    const closed = once(last, "close").catch(() => {});
    await until(() => lastText.includes('"number":1'));
    await own[Symbol.asyncDispose]();
    await closed;
    expect(lastText).toMatch(/"number":1[\s\S]*the server is shutting down, subscribe again/);
    // The client subscribes again to a stream that is not complete.
    expect(lastText).not.toContain("complete");
    expect(ended).toBe(2);
  });

  it("is charged for its start and for each event", async () => {
    await using own = await serve({ computeUnitsPerMinute: 1_000 });
    const first = await readStream(own.url, { query: ROWS, variables: { to: 3 } });
    const second = await readStream(own.url, { query: ROWS, variables: { to: 3 } });
    // Four units each: the headers are sent at the start.
    expect([first, second].map(({ headers }) => headers["ratelimit-remaining"])).toEqual(["999", "995"]);
    const { text } = await readStream(own.url, { query: ROWS, variables: { to: 2_000 } });
    expect(text.match(/"number"/g)).toHaveLength(991);
    expect(text).toMatch(/"code":"RATE_LIMITED"[\s\S]*event: complete\ndata:\n\n$/);
  });

  it("over a WebSocket with an API key ends when the key is revoked", async () => {
    let revoke = () => {};
    const config = testConfig({ apiKeys: [{ key: KEY }] });
    const apiKeys: ApiKeys = {
      ...createApiKeys(config),
      onRevoked(_name, call) {
        revoke = call;
        return () => {};
      },
    };
    await using own = await serve({}, { apiKeys });
    const silently = { query: "subscription { silent { number } }" };
    const none = revoke;
    operations = 0;
    const answers = subscribeOverSocket(own.url, silently, { "x-glacier-api-key": KEY });
    await until(() => revoke !== none && operations > 0);
    await sleep(20);
    revoke();
    expect((await answers).slice(-2)).toMatchObject([
      { type: "next", payload: { data: null, errors: [{ extensions: { code: "UNAUTHENTICATED" } }] } },
      { type: "complete" },
    ]);
  });

  it("makes no further events while its client does not read", async () => {
    const endlessly = { query: "subscription { endless { text } }" };
    const stream = await openStream(served.url, endlessly);
    let seen = -1;
    while (seen !== events) {
      seen = events;
      await sleep(100);
    }
    stream.destroy();
  });
});
