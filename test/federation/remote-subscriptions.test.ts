import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { createClient } from "graphql-ws";
import WebSocket, { WebSocketServer } from "ws";
import { Failure } from "../../core/errors/errors.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { createLogLines } from "../support/log-lines.ts";
import { serveGateway } from "./served.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { one: Int }
  type Row { requestId: String! bug: Int }
  type Subscription { row(label: String): Row refused: Row broken: Row rows: Row }`;

/** One event. Waits for its end afterwards. */
async function* row(_: unknown, __: unknown, { requestId }: RequestInfo) {
  yield { row: { requestId } };
  await new Promise(() => {});
}

const resolvers = {
  Row: {
    bug({ requestId }: { readonly requestId: string }) {
      if (requestId === "2") return 2;
      throw new Error("a bug");
    },
  },
  Subscription: {
    row: { subscribe: row },
    refused: {
      subscribe() {
        throw new Failure("NOT_FOUND", "there is no such row");
      },
    },
    rows: {
      async *subscribe() {
        for (const requestId of ["1", "2"]) yield { rows: { requestId } };
      },
    },
    broken: {
      async *subscribe() {
        yield { broken: { requestId: "first" } };
        throw new Error("a secret of the database");
      },
    },
  },
};

/** How the subgraph treats new connections for subscriptions. */
type Treatment =
  | "answers"
  | "does not answer the handshake"
  | "does not answer connection_init"
  | "closes the connection with code 1000 after an event";

/** Answers the first subscription with an event, and closes the connection. */
function closeAfterEvent(socket: WebSocket): void {
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on("message", (bytes) => {
    const { id, type } = JSON.parse(String(bytes));
    if (type === "connection_init") send({ type: "connection_ack" });
    if (type !== "subscribe") return;
    send({ id, type: "next", payload: { data: { row: { requestId: "1" } } } });
    socket.close(1_000, "Idle");
  });
}

/** A gateway, and its subgraph behind a server whose connections the test controls. */
async function serve() {
  const { logger, lines } = createLogLines("error");
  const schema = buildSubgraphSchema({ typeDefs: parse(SDL), resolvers: resolvers as never });
  const subgraph = await createSubgraphServer({ schema, context: (request) => ({ ...request }) }, logger);
  const silent = new WebSocketServer({ noServer: true });
  const connections = new Set<Duplex>();
  const http = createServer(subgraph.handler);
  const served = {
    treatment: "answers" as Treatment,
    /** Number of connections that were closed with code 1000. */
    connected: 0,
    /** Reads nothing more from the open connections. */
    freeze() {
      for (const connection of connections) connection.pause();
    },
    /** Ends the subgraph like a process that is killed. */
    async kill() {
      http.close();
      for (const connection of connections) connection.destroy();
    },
    stop: () => subgraph[Symbol.asyncDispose](),
  };
  http.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });
  http.on("upgrade", (request, socket, head) => {
    if (served.treatment === "answers") subgraph.upgrade(request, socket, head);
    if (served.treatment === "does not answer connection_init") silent.handleUpgrade(request, socket, head, () => {});
    if (served.treatment === "closes the connection with code 1000 after an event")
      silent.handleUpgrade(request, socket, head, (webSocket) => {
        served.connected++;
        closeAfterEvent(webSocket);
      });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`;
  const supergraph = composeSupergraph([{ name: "only", url, sdl: SDL }]);
  const remote = { name: "only", url, connectionTimes: { answerMs: 1_000, pingIntervalMs: 1_100 } };
  const gateway = await serveGateway([remote], logger, supergraph);
  return Object.assign(served, {
    lines,
    url: gateway.url,
    subgraphUrl: url,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await served.kill();
      await subgraph[Symbol.asyncDispose]();
    },
  });
}

const ROW = "subscription { row { requestId } }";
const EVENT = { data: { row: { requestId: expect.any(String) } } };
const UNAVAILABLE = {
  data: null,
  errors: [{ message: "a subgraph cannot be reached", path: ["row"], extensions: { code: "UNAVAILABLE" } }],
};
const TRANSPORTS = [overWebSocket<object>, overSse<object>];

async function all(events: AsyncIterable<object>): Promise<object[]> {
  const received: object[] = [];
  for await (const event of events) received.push(event);
  return received;
}

async function* first(events: AsyncGenerator<object>): AsyncGenerator<object> {
  for await (const event of events) return yield event;
}

describe("the subscriptions of a subgraph in another process", () => {
  it.each<Treatment>(["does not answer the handshake", "does not answer connection_init"])(
    "fail with UNAVAILABLE if it %s, and later ones have a new connection",
    async (treatment) => {
      await using served = await serve();
      served.treatment = treatment;
      const failed = await Promise.all(TRANSPORTS.map((connect) => all(connect(served.url, ROW))));
      expect(failed).toEqual([[UNAVAILABLE], [UNAVAILABLE]]);
      served.treatment = "answers";
      for (const connect of TRANSPORTS) {
        const events = connect(served.url, ROW);
        expect((await events.next()).value).toEqual(EVENT);
        await events.return(undefined);
      }
    },
  );

  it.each<["is lost without a notice" | "is killed" | "stops", "freeze" | "kill" | "stop"]>([
    ["is lost without a notice", "freeze"],
    ["is killed", "kill"],
    ["stops", "stop"],
  ])("end with UNAVAILABLE and without data if it %s", async (_, end) => {
    await using served = await serve();
    const streams = TRANSPORTS.map((connect) => connect(served.url, ROW));
    for (const events of streams) expect((await events.next()).value).toEqual(EVENT);
    await served[end]();
    expect(await Promise.all(streams.map(all))).toEqual([[UNAVAILABLE], [UNAVAILABLE]]);
    expect(served.lines).toEqual([]);
    if (end !== "freeze") return;
    const later = overWebSocket(served.url, ROW);
    expect((await later.next()).value).toEqual(EVENT);
    await later.return(undefined);
  });

  it("end with UNAVAILABLE, and are not started again, if it closes the connection with code 1000", async () => {
    await using served = await serve();
    served.treatment = "closes the connection with code 1000 after an event";
    for (const [at, connect] of TRANSPORTS.entries()) {
      expect(await all(connect(served.url, ROW))).toEqual([EVENT, UNAVAILABLE]);
      expect(served.connected).toBe(at + 1);
    }
  });

  it("fail with UNAVAILABLE if it does not answer the end of the connection, and later ones have a new connection", async () => {
    await using served = await serve();
    const last = overWebSocket(served.url, ROW);
    await last.next();
    served.freeze();
    await last.return(undefined);
    let events: object[] = [];
    // The first ones may come before the gateway closes the connection of the last one.
    while (!events.some((event) => "errors" in event)) events = await all(first(overWebSocket(served.url, ROW)));
    expect(events).toEqual([UNAVAILABLE]);
    expect(await all(first(overSse(served.url, ROW)))).toEqual([EVENT]);
  });

  it("have the errors of an event in this event only", async () => {
    await using served = await serve();
    for (const connect of TRANSPORTS)
      expect(await all(connect(served.url, "subscription { rows { bug } }"))).toEqual([
        { data: { rows: { bug: null } }, errors: [expect.objectContaining({ path: ["rows", "bug"] })] },
        { data: { rows: { bug: 2 } } },
      ]);
  });

  it("end with the subgraph's own error if it refuses or breaks off one of them", async () => {
    await using served = await serve();
    for (const connect of TRANSPORTS) {
      const other = connect(served.url, ROW);
      await other.next();
      const last = await all(connect(served.url, "subscription { refused { requestId } }")).catch((errors) => [
        { errors },
      ]);
      expect(last).toMatchObject([
        { errors: [{ message: "there is no such row", extensions: { code: "NOT_FOUND" } }] },
      ]);
      expect(await all(connect(served.url, "subscription { broken { requestId } }"))).toEqual([
        { data: { broken: { requestId: "first" } } },
        { data: null, errors: [{ message: "internal error", path: ["broken"], extensions: { code: "INTERNAL" } }] },
      ]);
      await other.return(undefined);
    }
  });
});

describe("a subscription that is too large for a message to its subgraph", () => {
  it.each([
    ["bytes", "x".repeat(300_000)],
    // The request itself is not refused.
    ["values", ",".repeat(24_995)],
  ])("is refused, and the others go on: too many %s", async (_, label) => {
    await using served = await serve();
    const other = overWebSocket<object>(served.url, ROW);
    await other.next();
    let hasOtherEnded = false;
    const end = other.next().then(() => {
      hasOtherEnded = true;
    });
    const query = "subscription($label: String) { row(label: $label) { requestId } }";
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const body = JSON.stringify({ query, variables: { label } });
    const text = await (await fetch(served.url, { method: "POST", headers, body })).text();
    expect(text).toMatch(/at most 262,144 bytes and 25,000 values, this one has .*"code":"OPERATION_TOO_COMPLEX"/);
    expect(await firstEvent(served.url, { query: ROW })).toEqual(EVENT);
    expect(hasOtherEnded).toBe(false);
    await served.kill();
    await end;
    await other.return(undefined);
  });
});

/** The first event of an operation over a WebSocket whose handshake has these headers. */
async function firstEvent(url: string, payload: { query: string; extensions?: Record<string, unknown> }, headers = {}) {
  class Socket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers });
    }
  }
  const client = createClient({ url: url.replace("http", "ws"), webSocketImpl: Socket });
  const events = client.iterate(payload);
  const { value } = await events.next();
  await events.return?.();
  await client.dispose();
  return value;
}

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;
const idOf = (id: unknown) => ({ data: { row: { requestId: id } } });

describe("the request id of a subscription to a subgraph in another process", () => {
  it("is the one of the client's request, also in the log of the subgraph", async () => {
    await using served = await serve();
    const query = "subscription { row { requestId bug } }";
    const errors = [expect.objectContaining({ extensions: { code: "INTERNAL" } })];
    const event = (id: string) => ({ data: { row: { requestId: id, bug: null } }, errors });
    expect(await firstEvent(served.url, { query }, { "x-request-id": "of-a-client:1" })).toEqual(
      event("of-a-client:1"),
    );
    const stream = overSse<object>(served.url, query, { "x-request-id": "of-a-client:2" });
    expect((await stream.next()).value).toEqual(event("of-a-client:2"));
    await stream.return(undefined);
    expect(served.lines.map(({ requestId, err }) => [requestId, (err as Error).message])).toEqual(
      expect.arrayContaining([
        ["of-a-client:1", "a bug"],
        ["of-a-client:2", "a bug"],
      ]),
    );
  });

  it("cannot be given by an extension of the client's request", async () => {
    await using served = await serve();
    const extensions = { "x-request-id": "forged" };
    expect(await firstEvent(served.url, { query: ROW, extensions })).toEqual(idOf(expect.stringMatching(UUID)));
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const body = JSON.stringify({ query: ROW, extensions });
    const response = await fetch(served.url, { method: "POST", headers: { ...headers, "x-request-id": "own" }, body });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("requestId")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    expect(text).toContain('"requestId":"own"');
  });

  it("is a new one if the gateway's is not safe or missing", async () => {
    await using served = await serve();
    const unsafe = { query: ROW, extensions: { "x-request-id": "<script>" } };
    expect(await firstEvent(served.subgraphUrl, unsafe)).toEqual(idOf(expect.stringMatching(UUID)));
    expect(await firstEvent(served.subgraphUrl, { query: ROW })).toEqual(idOf(expect.stringMatching(UUID)));
  });
});
