import { once } from "node:events";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { type Client, createClient } from "graphql-ws";
import pino from "pino";
import WebSocket from "ws";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { startServer } from "../../core/http/server.ts";
import { CALLER_HEADER, createApiKeys } from "../../core/limits/access/api-keys.ts";
import { createWork } from "../../core/work/work.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { Graph } from "../../gateway/graph.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { createHttpGraphClient } from "../../rest-compat/graph/http-graph-client.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { testConfig } from "../support/config.ts";
import { type Served, serveGateway } from "./served.ts";

const KEY = "a-key-of-the-first-customer";
const OTHER_KEY = "a-key-of-the-second-customer";
const config = testConfig({ apiKeys: [{ key: KEY }, { key: OTHER_KEY }] });
const nameOf = (key: string) => createApiKeys(config).identify(() => key)?.name;
const NAME = nameOf(KEY);
const OTHER_NAME = nameOf(OTHER_KEY);

const OWN_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { job: Job! }
  type Mutation { start: Job! }
  type Subscription { job: Job! }
  type Job @key(fields: "id") { id: String! caller: String }`;

/** Joins a field, so that an operation that selects it is not passed through. */
const OTHER_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { other: Int }
  type Job @key(fields: "id") { id: String! seenBy: String }`;

type Context = Pick<RequestInfo, "caller">;
const job = () => ({ id: "1" });
const caller = (_job: unknown, _args: unknown, context: Context) => context.caller ?? null;

function subgraph(name: string, sdl: string, resolvers: object): LocalSubgraph {
  const schema = buildSubgraphSchema({ typeDefs: parse(sdl), resolvers: resolvers as never });
  return { name, schema, context: ({ caller: name }) => ({ caller: name }) };
}

const subgraphs = [
  subgraph("own", OWN_SDL, {
    Query: { job },
    Mutation: { start: job },
    Subscription: {
      job: {
        async *subscribe() {
          yield { job: job() };
        },
      },
    },
    Job: { caller },
  }),
  subgraph("other", OTHER_SDL, { Job: { __resolveReference: (key: object) => key, seenBy: caller } }),
];
const supergraph = composeSupergraph([
  { name: "own", url: "http://own", sdl: OWN_SDL },
  { name: "other", url: "http://other", sdl: OTHER_SDL },
]);

const lines: string[] = [];
const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
const opened: AsyncDisposable[] = [];
const gateways: Record<string, Served & { graph: Graph }> = {};

async function serveAlone({ name, schema, context }: LocalSubgraph): Promise<{ name: string; url: string }> {
  const served = await createSubgraphServer({ schema, context: context as () => object }, logger);
  const { handler, upgrade } = served;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, upgrade });
  opened.push(server, served);
  return { name, url: `http://127.0.0.1:${server.port}/graphql` };
}

let remote: { name: string; url: string }[];
beforeAll(async () => {
  remote = await Promise.all(subgraphs.map(serveAlone));
  gateways["in this process"] = await serveGateway(subgraphs, logger, supergraph, config);
  gateways["by URL"] = await serveGateway(remote, logger, supergraph, config);
  opened.push(...Object.values(gateways));
});
afterAll(async () => {
  for (const one of opened.reverse()) await one[Symbol.asyncDispose]();
});

interface Post {
  readonly query: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accept?: string;
}

async function post(url: string, { query, headers = {}, accept = "application/json" }: Post) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Sends the operations over one connection, one after the other. Of each: what its first message says. */
async function overWebSocket(
  url: string,
  queries: readonly string[],
  { headers, init }: { headers?: Record<string, string>; init?: Record<string, unknown> },
): Promise<unknown[]> {
  class Socket extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers });
    }
  }
  const client: Client = createClient({
    url: url.replace("http", "ws"),
    webSocketImpl: Socket,
    lazy: false,
    ...(init ? { connectionParams: init } : {}),
  });
  let connections = 0;
  client.on("opened", () => void connections++);
  const answers: unknown[] = [];
  for (const query of queries) {
    const first = client.iterate({ query }).next();
    answers.push(
      await first.then(
        ({ value }) => value?.data,
        (errors: unknown) => errors,
      ),
    );
  }
  expect(connections).toBe(1);
  await client.dispose();
  return answers;
}

const FIELDS = "{ caller }";
const JOINED = "{ caller seenBy }";
const OPERATIONS = [
  ["query", `{ job ${FIELDS} }`],
  ["query that joins", `{ job ${JOINED} }`],
  ["mutation", `mutation { start ${FIELDS} }`],
  ["mutation that joins", `mutation { start ${JOINED} }`],
] as const;
const SUBSCRIPTIONS = [`subscription { job ${FIELDS} }`, `subscription { job ${JOINED} }`];

/** Every caller's name in an answer. */
const callersIn = (answer: unknown) =>
  [...JSON.stringify(answer).matchAll(/\\?"(?:caller|seenBy)\\?":(?:\\?"([\w-]+)\\?"|null)/g)].map(([, name]) => name);
const twice = (name: string | undefined, query: string) => (query.includes("seenBy") ? [name, name] : [name]);

describe.each(["in this process", "by URL"])("the caller reaches subgraphs %s", (where) => {
  const url = () => gateways[where]?.url ?? "";

  it.each(OPERATIONS)("from a %s over HTTP, by the key in either header", async (_kind, query) => {
    for (const name of ["x-service-api-key", "x-glacier-api-key"]) {
      expect(callersIn(await post(url(), { query, headers: { [name]: KEY } }))).toEqual(twice(NAME, query));
      expect(callersIn(await post(url(), { query, headers: { [name]: OTHER_KEY } }))).toEqual(twice(OTHER_NAME, query));
    }
    expect(callersIn(await post(url(), { query }))).toEqual(twice(undefined, query));
  });

  it.each(SUBSCRIPTIONS)("from %s over SSE", async (query) => {
    const sse = { query, accept: "text/event-stream" };
    expect(callersIn(await post(url(), { ...sse, headers: { "x-service-api-key": KEY } }))).toEqual(twice(NAME, query));
    expect(callersIn(await post(url(), sse))).toEqual(twice(undefined, query));
  });

  it("from operations over graphql-ws, by a header of the handshake or by connection_init, which comes first", async () => {
    const queries = [...OPERATIONS.map(([, query]) => query), ...SUBSCRIPTIONS];
    const headers = { "x-service-api-key": OTHER_KEY };
    const expected = (name: string | undefined) => queries.flatMap((query) => twice(name, query));
    expect(callersIn(await overWebSocket(url(), queries, { headers }))).toEqual(expected(OTHER_NAME));
    const init = { "X-Service-Api-Key": KEY };
    expect(callersIn(await overWebSocket(url(), queries, { headers, init }))).toEqual(expected(NAME));
    expect(callersIn(await overWebSocket(url(), queries, { init: { token: "x" } }))).toEqual(expected(undefined));
  });

  it.each(OPERATIONS)("from a prepared %s of this process", async (_kind, query) => {
    const run = gateways[where]?.graph.prepare(query);
    expect(callersIn(await run?.({}, { work: createWork(), requestId: "r", caller: NAME }))).toEqual(
      twice(NAME, query),
    );
    expect(callersIn(await run?.({}, { work: createWork(), requestId: "r" }))).toEqual(twice(undefined, query));
  });

  it.each(OPERATIONS)("from a prepared %s of a REST process, which sends the key on", async (_kind, query) => {
    const options = { url: url(), keyHeader: "x-glacier-api-key", logger };
    await using client = await createHttpGraphClient(options, new AbortController().signal);
    const run = client.prepare(query);
    expect(callersIn(await run({}, { work: createWork(), requestId: "r", caller: "ignored", apiKey: KEY }))).toEqual(
      twice(NAME, query),
    );
    expect(callersIn(await run({}, { work: createWork(), requestId: "r" }))).toEqual(twice(undefined, query));
    expect(await run({}, { work: createWork(), requestId: "r", apiKey: "unknown-key" })).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
    });
  });

  it("not by the header or the extension that the gateway sends to its subgraphs", async () => {
    const spoofed = { [CALLER_HEADER]: NAME as string };
    for (const [, query] of OPERATIONS)
      expect(callersIn(await post(url(), { query, headers: spoofed }))).toEqual(twice(undefined, query));
    const [answer] = await overWebSocket(url(), [SUBSCRIPTIONS[0] as string], { headers: spoofed, init: spoofed });
    expect(callersIn(answer)).toEqual([undefined]);
    const socket = new WebSocket(url().replace("http", "ws"), "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    const payload = { query: SUBSCRIPTIONS[0], extensions: spoofed };
    socket.send(JSON.stringify({ type: "subscribe", id: "1", payload }));
    const [text] = await once(socket, "message");
    socket.terminate();
    expect(callersIn(JSON.parse(String(text)))).toEqual([undefined]);
  });
});

describe("an unknown API key", () => {
  const url = () => gateways["in this process"]?.url ?? "";

  it.each(["application/json", "text/event-stream"])("is refused with 401 over HTTP with accept %s", async (accept) => {
    const headers = { "x-service-api-key": "unknown-key", origin: "http://page", "x-request-id": "r1" };
    const answer = await post(url(), { query: "{ job { caller } }", headers, accept });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      401,
      { errors: [{ message: "the API key is unknown", extensions: { code: "UNAUTHENTICATED" } }] },
    ]);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("x-request-id")).toBe("r1");
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://page");
  });

  it.each([[{ headers: { "x-service-api-key": "unknown-key" } }], [{ init: { "x-service-api-key": 12_345_678 } }]])(
    "is refused with an error message for each operation over graphql-ws, and the connection stays open: %j",
    async (sent) => {
      const refused = [{ message: "the API key is unknown", extensions: { code: "UNAUTHENTICATED" } }];
      const queries = ["{ job { caller } }", SUBSCRIPTIONS[0] as string];
      expect(await overWebSocket(url(), queries, sent)).toEqual([refused, refused]);
    },
  );
});

it("a subgraph refuses a caller's name that no gateway made, and does not repeat it", async () => {
  const url = remote[0]?.url ?? "";
  const query = "{ job { caller } }";
  const { status, text } = await post(url, { query, headers: { [CALLER_HEADER]: KEY } });
  expect([status, text.includes(KEY), JSON.parse(text).errors[0].extensions]).toEqual([
    400,
    false,
    { code: "BAD_REQUEST" },
  ]);
  const client = createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket });
  const refused = client.iterate({ query, extensions: { [CALLER_HEADER]: KEY } }).next();
  await expect(refused).rejects.toMatchObject([{ extensions: { code: "BAD_REQUEST" } }]);
  await client.dispose();
});

it("no API key is written to the log", () => {
  expect(lines.filter((line) => [KEY, OTHER_KEY, "unknown-key"].some((key) => line.includes(key)))).toEqual([]);
});
