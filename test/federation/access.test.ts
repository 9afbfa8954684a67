import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { createApiKeys, createKeyTable, hashOf, nameOf } from "../../core/limits/access/api-keys.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { GraphOptions } from "../../gateway/graph.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { type Served, serveGateway } from "./served.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { thing: Thing! things(chainId: String!, first: Int = 10): Things! search: Int }
  type Mutation { start: Thing! }
  type Subscription { ticks: Int! waiting: Int! }
  type Things { things: [Thing!]! }
  type Thing @key(fields: "id") { id: String! }`;

const thing = () => ({ id: "1" });

async function* ticks() {
  for (let tick = 1; tick <= 5; tick++) yield { ticks: tick };
}

/** One event, and then nothing. */
async function* waiting() {
  yield { waiting: 1 };
  await new Promise(() => {});
}

const schema = buildSubgraphSchema({
  typeDefs: parse(SDL),
  resolvers: {
    Query: { thing, things: () => ({ things: [thing()] }), search: () => 1 },
    Mutation: { start: thing },
    Subscription: { ticks: { subscribe: ticks }, waiting: { subscribe: waiting } },
  },
});
const subgraph: LocalSubgraph = { name: "own", schema, context: () => ({}) };
const supergraph = composeSupergraph([{ name: "own", url: "http://own", sdl: SDL }]);

const CHAIN = { nodeUrl: "http://127.0.0.1:1", chainName: "Any" };
const CHAINS = [
  { ...CHAIN, chainId: 1, network: "mainnet" },
  { ...CHAIN, chainId: 2, network: "fuji" },
];

type Options = Pick<GraphOptions, "apiKeys" | "internalToken">;

const serve = (settings: Readonly<Record<string, unknown>>, options: Options = {}) =>
  serveGateway([subgraph], createLogger("silent"), supergraph, testConfig({ evmChains: CHAINS, ...settings }), {
    ...options,
    nowMs: () => 60_000_000,
  });

async function post({ url }: Served, query: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, body: await response.json(), headers: Object.fromEntries(response.headers) };
}

const keyHeader = (key: string) => ({ "x-service-api-key": key });

/** 100 rows of 10 values each, and 102 values: 12 compute units. */
const THINGS = '{ things(chainId: "2", first: 100) { things { id } } }';

describe("rate limits of GraphQL", () => {
  it("charge an operation by its cost, with the headers of rate limits, and answer 429", async () => {
    await using served = await serve({ computeUnitsPerMinute: 13 });
    expect(await post(served, THINGS)).toMatchObject({
      status: 200,
      body: { data: { things: { things: [{ id: "1" }] } } },
      headers: {
        "ratelimit-policy": '"minute";q=13;w=60',
        ratelimit: '"minute";r=1;t=60',
        "ratelimit-limit": "13",
        "ratelimit-remaining": "1",
      },
    });
    expect(await post(served, THINGS)).toMatchObject({
      status: 429,
      body: {
        errors: [
          {
            message: "the limit of 13 compute units per minute is used up, try again in 60 s",
            extensions: { code: "RATE_LIMITED" },
          },
        ],
      },
      headers: { "ratelimit-remaining": "1", "ratelimit-reset": "60", "retry-after": "60" },
    });
    expect(await post(served, "{ thing { id } }")).toMatchObject({ status: 200 });
  });

  it("refuse an operation that costs more than a whole limit, with its cost", async () => {
    await using served = await serve({ computeUnitsPerDay: 11 });
    const [error] = (await post(served, THINGS)).body.errors;
    expect(error).toEqual({
      message: "this operation costs 12 compute units, more than the limit of 11 per day: request less data",
      extensions: { code: "OPERATION_TOO_COMPLEX" },
    });
  });

  it("charge one unit for an operation that is not valid, with the headers", async () => {
    await using served = await serve({ computeUnitsPerMinute: 2 });
    for (const [query, left] of [
      ["{ nothing }", "1"],
      ["{", "0"],
      ["{ nothing }", "0"],
    ] as const) {
      const { body, headers } = await post(served, query);
      expect([body.errors.length, headers["ratelimit-remaining"]]).toEqual([1, left]);
    }
    expect((await post(served, "{ thing { id } }")).status).toBe(429);
  });

  it("charge one unit for an operation over WebSocket that is not valid, and refuse it when they are used up", async () => {
    await using served = await serve({ computeUnitsPerMinute: 2 });
    const codes = [];
    for (const query of ["{", "{ nothing }", "{ nothing }"]) {
      const errors = await overWebSocket(served.url, query)
        .next()
        .catch((thrown: unknown) => thrown);
      codes.push((errors as { extensions: { code: string } }[])[0]?.extensions.code);
    }
    expect(codes).toEqual(["GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "RATE_LIMITED"]);
    expect((await post(served, "{ thing { id } }")).status).toBe(429);
  });

  it("refuse an operation that is not valid like any other when they are used up", async () => {
    await using served = await serve({ computeUnitsPerMinute: 1 });
    expect((await post(served, "{ nothing }")).status).toBe(200);
    const { status, body, headers } = await post(served, "{ nothing }", { origin: "http://a.example" });
    expect([status, body.errors[0].extensions.code]).toEqual([429, "RATE_LIMITED"]);
    expect(headers).toMatchObject({
      "retry-after": expect.any(String),
      "content-type": "application/json; charset=utf-8",
    });
    expect(headers["access-control-allow-origin"]).toBeDefined();
  });

  it("charge one unit for an operation that needs a key or costs more than a whole limit, with the headers", async () => {
    const keyRequirements = [{ routes: [], fields: ["Query.thing"] }];
    await using served = await serve({ computeUnitsPerMinute: 11, keyRequirements });
    const answers = [await post(served, "{ thing { id } }"), await post(served, THINGS)];
    expect(answers.map(({ status, headers }) => [status, headers["ratelimit-remaining"]])).toEqual([
      [401, "10"],
      [200, "9"],
    ]);
  });

  it("are in the headers of refused requests, which cost one unit at most", async () => {
    await using served = await serve({ computeUnitsPerMinute: 5 });
    const left = async (init: RequestInit, query = "") => {
      const { status, headers } = await fetch(served.url + query, init);
      return [status, headers.get("ratelimit-remaining")];
    };
    const json = { "content-type": "application/json" };
    expect(await left({ method: "POST", body: "x" })).toEqual([415, "5"]);
    expect(await left({ method: "POST", headers: json, body: "x".repeat(2_000_000) })).toEqual([413, "5"]);
    expect(await left({ method: "GET" }, "?query=mutation{start{id}}")).toEqual([405, "4"]);
    expect(await left({ method: "PUT", headers: json, body: "{}" })).toEqual([405, "3"]);
  });

  it("charge introspection a fixed number of units", async () => {
    await using served = await serve({ computeUnitsPerMinute: 1_000 });
    const { headers } = await post(served, "{ __schema { types { name } } thing { id } }");
    expect(headers["ratelimit-remaining"]).toBe("899");
  });

  it("hold for a key, and not for operations of this process", async () => {
    const apiKeys = [{ key: "limited-key", computeUnitsPerMinute: 1 }];
    await using served = await serve({ computeUnitsPerMinute: 1, apiKeys });
    const statuses = async (headers: Record<string, string>) => [
      (await post(served, "{ thing { id } }", headers)).status,
      (await post(served, "{ thing { id } }", headers)).status,
    ];
    expect(await statuses(keyHeader("limited-key"))).toEqual([200, 429]);
    expect(await statuses({})).toEqual([200, 429]);
    const run = served.graph.prepare("{ thing { id } }");
    for (let round = 0; round < 3; round++)
      expect(await run({}, { work: createWork(), requestId: "r" })).not.toHaveProperty("errors");
  });

  it("do not charge a REST process again, which shows the token of the installation", async () => {
    await using served = await serve({ computeUnitsPerMinute: 1 }, { internalToken: "0123456789abcdef" });
    const token = { "x-moraine-internal": "0123456789abcdef" };
    for (let round = 0; round < 3; round++) expect((await post(served, THINGS, token)).status).toBe(200);
    expect((await post(served, "{ thing { id } }")).status).toBe(200);
    expect((await post(served, "{ thing { id } }", { "x-moraine-internal": "0123456789abcdee" })).status).toBe(429);
  });

  it.each([
    ["WebSocket", overWebSocket],
    ["SSE", overSse],
  ])("charge a subscription over %s when it starts and for each event, and end it", async (_, subscribe) => {
    await using served = await serve({ computeUnitsPerMinute: 3 });
    const events: unknown[] = [];
    for await (const event of subscribe(served.url, "subscription { ticks }")) events.push(event);
    expect(events).toMatchObject([
      { data: { ticks: 1 } },
      { data: { ticks: 2 } },
      { data: null, errors: [{ extensions: { code: "RATE_LIMITED" } }] },
    ]);
    expect(events).toHaveLength(3);
  });
});

describe("API keys on GraphQL", () => {
  const apiKeys = [{ key: "key-without-scope" }, { key: "key-with-scope", scopes: ["write"] }];
  const keyRequirements = [{ fields: ["Mutation.start", "Subscription.ticks"], scope: "write" }];

  it("can be required for fields: 401 without a key, 403 without the scope", async () => {
    await using served = await serve({ apiKeys, keyRequirements });
    const start = (headers = {}) => post(served, "mutation { start { id } }", headers);
    expect(await start()).toMatchObject({
      status: 401,
      body: { errors: [{ message: "Mutation.start needs an API key", extensions: { code: "UNAUTHENTICATED" } }] },
    });
    expect(await start(keyHeader("key-without-scope"))).toMatchObject({
      status: 403,
      body: { errors: [{ message: expect.stringContaining("scope write"), extensions: { code: "FORBIDDEN" } }] },
    });
    expect((await start(keyHeader("key-with-scope"))).body).toEqual({ data: { start: { id: "1" } } });
    expect((await post(served, "{ thing { id } }")).status).toBe(200);
  });

  it.each([
    ["a query", "{ thing { id } }", "application/json"],
    ["an event stream", "subscription { ticks }", "text/event-stream"],
  ])("that cannot be checked cause 503 with retry-after for %s", async (_, query, accept) => {
    const stored = { keys: createKeyTable([]), isFresh: () => false, onRevoked: () => () => {} };
    await using served = await serve({}, { apiKeys: createApiKeys(testConfig(), stored) });
    const message = expect.stringMatching(/^the API key cannot be checked: .*not be read within the last 5 seconds/);
    expect(await post(served, query, { accept, ...keyHeader("a-key") })).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { errors: [{ message, extensions: { code: "UNAVAILABLE" } }] },
    });
    const first = async () => (await overWebSocket(served.url, query, keyHeader("a-key")).next()).value;
    await expect(first()).rejects.toMatchObject([{ message, extensions: { code: "UNAVAILABLE" } }]);
  });

  it("can be required for fields over WebSocket", async () => {
    await using served = await serve({ apiKeys, keyRequirements });
    const first = async (init = {}) => (await overWebSocket(served.url, "subscription { ticks }", init).next()).value;
    expect(await first()).toEqual({
      data: null,
      errors: [{ message: "Subscription.ticks needs an API key", extensions: { code: "UNAUTHENTICATED" } }],
    });
    expect(await first(keyHeader("key-with-scope"))).toEqual({ data: { ticks: 1 } });
  });

  it("give access to their networks only, which each root field must name", async () => {
    await using served = await serve({ apiKeys: [{ key: "key-of-fuji", networks: ["fuji"] }] });
    const statusOf = async (query: string) => (await post(served, query, keyHeader("key-of-fuji"))).status;
    expect(await statusOf(THINGS)).toBe(200);
    expect(await statusOf(THINGS.replace('"2"', '"1"'))).toBe(403);
    expect(
      await statusOf('query($id: String! = "1") { ...q } fragment q on Query { things(chainId: $id) { __typename } }'),
    ).toBe(403);
    expect(await statusOf("{ search }")).toBe(403);
    expect(await statusOf("{ __typename }")).toBe(200);
  });

  it.each([
    ["WebSocket", overWebSocket],
    ["SSE", overSse],
  ])("end a subscription over %s when they are revoked", async (_, subscribe) => {
    const hash = hashOf("a-stored-key");
    const calls = new Map<string, () => void>();
    const stored = {
      keys: createKeyTable([{ hash, scopes: [] }]),
      isFresh: () => true,
      onRevoked: (name: string, call: () => void) => {
        calls.set(name, call);
        return () => {};
      },
    };
    await using served = await serve({}, { apiKeys: createApiKeys(testConfig(), stored) });
    const events = subscribe(served.url, "subscription { waiting }", keyHeader("a-stored-key"));
    expect(await events.next()).toMatchObject({ value: { data: { waiting: 1 } } });
    calls.get(nameOf(hash))?.();
    const error = { message: "the API key was revoked", extensions: { code: "UNAUTHENTICATED" } };
    expect(await events.next()).toMatchObject({ value: { data: null, errors: [error] } });
    expect(await events.next()).toMatchObject({ done: true });
  });
});
