import { once } from "node:events";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import WebSocket from "ws";
import { type Database, prepared } from "../../core/database/database.ts";
import { messageOf } from "../../core/errors/errors.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { startServer } from "../../core/http/server.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { createLogLines } from "../support/log-lines.ts";
import { serveGateway } from "./served.ts";

/** `slow` and what the others wait for is one statement that takes a minute. A page of 1,000 things is heavy. */
const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { slow: Int quick: Int things(first: Int = 5): [Thing!]! }
  type Mutation { change: Int }
  type Subscription { starting: Int events: Event }
  type Thing { id: String! name: String! }
  type Event { number: Int slow: Int }`;

const OPERATIONS = {
  "a light query": "{ slow }",
  "a heavy query": "{ things(first: 1000) { id name a: name b: name c: name d: name e: name } }",
  "a mutation": "mutation { change }",
  "a subscription that starts": "subscription { starting }",
  "an event of a subscription": "subscription { events { number slow } }",
};

function slowSubgraph({ pool }: Database) {
  const sleep = prepared(pool, "sleep", "SELECT pg_sleep(60)");
  const slow = async (_root: unknown, _args: unknown, { work }: RequestInfo) => {
    try {
      return (await sleep([], work)).length;
    } catch (error) {
      ends.push(messageOf(error));
      throw error;
    }
  };
  async function* events() {
    yield { events: { number: 1 } };
  }
  const starting = async (root: unknown, args: unknown, request: RequestInfo) => {
    await slow(root, args, request);
    return events();
  };
  const resolvers = {
    Query: { slow, quick: () => 1, things: slow },
    Mutation: { change: slow },
    Subscription: { starting: { subscribe: starting }, events: { subscribe: events } },
    Event: { slow },
  };
  const schema = buildSubgraphSchema({ typeDefs: parse(SDL), resolvers: resolvers as never });
  return { name: "slow", schema, context: (request: RequestInfo) => request };
}

/** Why each slow statement has ended. */
const ends: string[] = [];
const { logger, lines } = createLogLines("info");

const running: AsyncDisposable[] = [];
let database: TestDatabase;
const urls: Record<string, string> = {};

beforeAll(async () => {
  database = await createTestDatabase();
  const local = slowSubgraph(database);
  const served = await createSubgraphServer(local, logger);
  const { handler, upgrade } = served;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade });
  const url = `http://127.0.0.1:${server.port}/graphql`;
  const supergraph = composeSupergraph([{ name: "slow", url, sdl: SDL }]);
  const alone = await serveGateway([local], logger, supergraph);
  const separate = await serveGateway([{ name: "slow", url }], logger, supergraph);
  Object.assign(urls, { "in the gateway's process": alone.url, "in another process": separate.url });
  running.push(alone, separate, served, server, database);
});
afterAll(async () => {
  for (const one of running) await one[Symbol.asyncDispose]();
});

/** Process ids of the connections that run the slow statement. */
async function sleeping(): Promise<number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active' AND datname = current_database()",
  );
  return rows.map(({ pid }) => pid);
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((done) => setTimeout(done, 2));
}

/** Starts an operation; the function that it returns leaves. */
type Start = (url: string, query: string) => Promise<() => void>;

async function overHttp(url: string, query: string): Promise<() => void> {
  const leave = new AbortController();
  const accept = query.startsWith("subscription") ? "text/event-stream" : "application/json";
  const headers = { "content-type": "application/json", accept };
  fetch(url, { method: "POST", headers, body: JSON.stringify({ query }), signal: leave.signal }).catch(() => {});
  return () => leave.abort();
}

interface Socket {
  send(message: object): void;
  /** The messages that the server has sent. */
  readonly received: { readonly type: string; readonly id?: string }[];
  close(): void;
}

async function openSocket(url: string): Promise<Socket> {
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws");
  const received: Socket["received"] = [];
  socket.on("message", (text) => received.push(JSON.parse(String(text))));
  await once(socket, "open");
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: "connection_init" });
  await until(() => received.length === 1);
  return { send, received, close: () => socket.terminate() };
}

const WAYS: Readonly<Record<string, Start>> = {
  "closes its HTTP connection": overHttp,
  async "closes its WebSocket"(url, query) {
    const { send, close } = await openSocket(url);
    send({ type: "subscribe", id: "1", payload: { query } });
    return close;
  },
  async "completes it over WebSocket"(url, query) {
    const { send } = await openSocket(url);
    send({ type: "subscribe", id: "1", payload: { query } });
    return () => send({ type: "complete", id: "1" });
  },
};

const PLACES = ["in the gateway's process", "in another process"];
const CASES = Object.keys(OPERATIONS).flatMap((name) =>
  PLACES.flatMap((place) => Object.keys(WAYS).map((way) => ({ name, place, way }))),
);

describe("a caller who leaves", () => {
  it.each(CASES)(
    "ends the statement of $name, with the subgraph $place, when it $way",
    async ({ name, place, way }) => {
      const url = urls[place] ?? "";
      const start = WAYS[way] as Start;
      const leave = await start(url, OPERATIONS[name as keyof typeof OPERATIONS]);
      await until(async () => (await sleeping()).length === 1);
      leave();
      await until(() => ends.length > 0);
      expect(ends.splice(0)).toEqual(["the caller has closed the connection"]);
      await until(async () => (await sleeping()).length === 0);
      expect(lines).toEqual([]);
    },
  );

  it("over WebSocket gets no message for a completed operation, and can use its id again", async () => {
    const { send, received, close } = await openSocket(urls["in the gateway's process"] ?? "");
    send({ type: "subscribe", id: "1", payload: { query: "{ slow }" } });
    await until(async () => (await sleeping()).length === 1);
    send({ type: "complete", id: "1" });
    send({ type: "subscribe", id: "1", payload: { query: "{ quick }" } });
    send({ type: "subscribe", id: "2", payload: { query: "{ quick }" } });
    await until(() => received.length === 5);
    expect(received.slice(1).toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { type: "next", id: "1", payload: { data: { quick: 1 } } },
      { type: "complete", id: "1" },
      { type: "next", id: "2", payload: { data: { quick: 1 } } },
      { type: "complete", id: "2" },
    ]);
    await until(() => ends.length > 0);
    expect(ends.splice(0)).toEqual(["the caller has closed the connection"]);
    close();
  });
});
