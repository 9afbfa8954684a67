import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { type Client, createClient } from "graphql-ws";
import WebSocket from "ws";
import { createAdmission } from "../../core/limits/admission/admission.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { GraphOptions } from "../../gateway/graph.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { type Served, serveGateway } from "./served.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { things(chainId: String!, first: Int = 10, ids: [String!]): Things! }
  type Subscription { changes(chainId: String!, first: Int = 10, ids: [String!]): Things! silent: Int! }
  type Things { things: [Thing!]! }
  type Thing @key(fields: "id") { id: String! }`;

const things = () => ({ things: [{ id: "1" }] });
async function* changes() {
  yield { changes: things() };
}
let silentOnes = 0;
async function* silent() {
  silentOnes++;
  await new Promise(() => {});
}

const subgraph: LocalSubgraph = {
  name: "own",
  schema: buildSubgraphSchema({
    typeDefs: parse(SDL),
    resolvers: {
      Query: { things },
      Subscription: { changes: { subscribe: changes }, silent: { subscribe: silent } },
    },
  }),
  context: () => ({}),
};
const supergraph = composeSupergraph([{ name: "own", url: "http://own", sdl: SDL }]);
const logger = createLogger("silent");

const LIMIT = 500;
const CHAIN = { nodeUrl: "http://127.0.0.1:1", chainName: "Any" };
const limited = (key: string, more: object = {}) => ({ key, computeUnitsPerMinute: LIMIT, ...more });
const SETTINGS = {
  computeUnitsPerMinute: LIMIT,
  evmChains: [
    { ...CHAIN, chainId: 1, network: "mainnet" },
    { ...CHAIN, chainId: 2, network: "fuji" },
  ],
  apiKeys: [limited("key-of-any"), limited("key-of-fuji", { networks: ["fuji"] })],
};

const serve = (settings: object = {}, options: Pick<GraphOptions, "admission"> = {}) =>
  serveGateway([subgraph], logger, supergraph, testConfig({ ...SETTINGS, ...settings }), {
    ...options,
    nowMs: () => 60_000_000,
  });

const folder = mkdtempSync(join(tmpdir(), "moraine-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
  readonly extensions?: Record<string, unknown>;
}

const keyHeader = (key: string | undefined): Record<string, string> => (key ? { "x-service-api-key": key } : {});

/** Sends an operation by POST. Returns the code of the first error, and the units that are left. */
async function post({ url }: Served, body: object, key?: string, accept = "application/json") {
  const headers = { "content-type": "application/json", accept, ...keyHeader(key) };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const remaining = Number(response.headers.get("ratelimit-remaining"));
  return { code: codeIn(await response.text()), remaining };
}

const codeIn = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1];

/** Runs an operation over a WebSocket of its own. Returns the code of the first error of its first result. */
async function overSocket({ url }: Served, operation: Operation, key?: string): Promise<string | undefined> {
  const client = createClient({
    url: url.replace("http", "ws"),
    webSocketImpl: WebSocket,
    connectionParams: keyHeader(key),
  });
  try {
    return await firstCode(client, operation);
  } finally {
    await client.dispose();
  }
}

async function firstCode(client: Client, operation: Operation): Promise<string | undefined> {
  try {
    const { value } = await client.iterate(operation).next();
    return value?.errors?.[0]?.extensions?.["code"] as string | undefined;
  } catch (errors) {
    return (errors as { extensions: { code: string } }[])[0]?.extensions.code;
  }
}

/** The units that the caller has spent. To ask for them costs one unit. */
async function spent(served: Served, key?: string): Promise<number> {
  return LIMIT - (await post(served, { query: "{" }, key)).remaining - 1;
}

/** An operation that is refused. */
interface Refusal {
  /** Default: `query` with all things of a chain, and `subscription` with the same arguments. */
  readonly selection?: string;
  readonly more?: Omit<Operation, "query">;
  readonly key?: string;
  /** True if the address of the caller pays, and not the owner of the key. */
  readonly isKeyUnknown?: boolean;
  readonly settings?: object;
  readonly code: string;
  /** Default: one. */
  readonly units?: number;
}

const PAGE = '(chainId: "2")';
const persisted = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });
const requirements = (scope?: string) => ({
  keyRequirements: [{ fields: ["Query.things", "Subscription.changes"], ...(scope ? { scope } : {}) }],
});
function allowedOperations(): object {
  const allowedOperationsFile = join(folder, "allowed.json");
  writeFileSync(allowedOperationsFile, JSON.stringify({ other: "{ __typename }" }));
  return { graphql: { allowedOperationsFile } };
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "a document that cannot be parsed": { selection: "FIELD(", code: "GRAPHQL_PARSE_FAILED" },
  "a document that is not valid": { selection: "nothing", code: "GRAPHQL_VALIDATION_FAILED" },
  "an unknown name of the operation": { more: { operationName: "Other" }, code: "OPERATION_RESOLUTION_FAILURE" },
  "too many rows": { selection: 'FIELD(chainId: "2", first: 1000000)', code: "OPERATION_TOO_COMPLEX" },
  "a cost above the whole limit": { selection: 'FIELD(chainId: "2", first: 5000)', code: "OPERATION_TOO_COMPLEX" },
  "a list in a variable that is too long": {
    more: { variables: { ids: Array.from({ length: 5_001 }, () => "a") } },
    code: "OPERATION_TOO_COMPLEX",
  },
  // They are found when the operation runs.
  "variables of a wrong type": { more: { variables: { ids: 1.5 } }, code: "INVALID_PARAMETER", units: 2 },
  "a missing API key": { settings: requirements(), code: "UNAUTHENTICATED" },
  "an API key without the scope": { settings: requirements("write"), key: "key-of-any", code: "FORBIDDEN" },
  "an API key of another network": { selection: 'FIELD(chainId: "1")', key: "key-of-fuji", code: "FORBIDDEN" },
  "an unknown API key": { key: "key-of-nobody", isKeyUnknown: true, code: "UNAUTHENTICATED" },
  "an operation that is not in the list": { settings: allowedOperations(), code: "FORBIDDEN" },
  "an unknown hash": { selection: "", more: persisted("0".repeat(64)), code: "PERSISTED_QUERY_NOT_FOUND" },
  "the hash of another document": { more: persisted("0".repeat(64)), code: "BAD_REQUEST" },
  "a hash without persisted queries": {
    selection: "",
    more: persisted("0".repeat(64)),
    settings: { graphql: { automaticPersistedQueries: false } },
    code: "PERSISTED_QUERY_NOT_SUPPORTED",
  },
};

type Kind = "query" | "subscription";

function operationOf(kind: Kind, { selection = `FIELD${PAGE}`, more = {} }: Refusal): Operation {
  const field = selection.replace("FIELD", kind === "query" ? "things" : "changes");
  const variables = more.variables ? "($ids: [String!])" : "";
  const withList = more.variables ? field.replace(")", ", ids: $ids)") : field;
  const text = `${kind} Own${variables} { ${withList} ${selection.includes(")") ? "{ things { id } }" : ""} }`;
  return { query: selection === "" ? "" : text, ...more };
}

/** Sends an operation. Returns the code of its error. */
type Send = (served: Served, refusal: Refusal) => Promise<string | undefined>;

const WAYS: Readonly<Record<string, Send>> = {
  "a query over HTTP": async (served, refusal) => (await post(served, operationOf("query", refusal), refusal.key)).code,
  "an event stream": async (served, refusal) =>
    (await post(served, operationOf("subscription", refusal), refusal.key, "text/event-stream")).code,
  "a query over WebSocket": (served, refusal) => overSocket(served, operationOf("query", refusal), refusal.key),
  "a subscription over WebSocket": (served, refusal) =>
    overSocket(served, operationOf("subscription", refusal), refusal.key),
};

describe.each(Object.entries(REFUSALS))("a refusal because of %s", (_, refusal) => {
  const { settings = {}, code, units = 1, isKeyUnknown = false } = refusal;

  it.each(Object.entries(WAYS))(`costs ${units === 1 ? "one unit" : `${units} units`} for %s`, async (_way, send) => {
    await using served = await serve(settings);
    expect(await send(served, refusal)).toBe(code);
    expect(await spent(served, isKeyUnknown ? undefined : refusal.key)).toBe(units);
  });
});

/** Starts a subscription, so that its document is known. */
async function makeKnown(served: Served, key?: string): Promise<void> {
  await overSocket(served, KNOWN, key);
}

const KNOWN: Operation = {
  query:
    "subscription Known($chainId: String!, $pageSize: Int) { changes(chainId: $chainId, first: $pageSize) { things { id } } }",
  variables: { chainId: "2" },
};

describe("a subscription with a known document", () => {
  it.each([
    ["a cost above the whole limit", { chainId: "2", pageSize: 5_000 }, undefined, "OPERATION_TOO_COMPLEX"],
    ["an API key of another network", { chainId: "1" }, "key-of-fuji", "FORBIDDEN"],
  ])("costs one unit over WebSocket if it is refused because of %s", async (_, variables, key, code) => {
    await using served = await serve();
    await makeKnown(served, key);
    const before = await spent(served, key);
    expect(await overSocket(served, { ...KNOWN, variables }, key)).toBe(code);
    expect((await spent(served, key)) - before - 1).toBe(1);
  });

  it("costs one unit as an event stream if it is refused because of a cost above the whole limit", async () => {
    await using served = await serve();
    await makeKnown(served);
    const before = await spent(served);
    const body = { ...KNOWN, variables: { chainId: "2", pageSize: 5_000 } };
    const refused = await post(served, body, undefined, "text/event-stream");
    expect(refused).toEqual({ code: "OPERATION_TOO_COMPLEX", remaining: LIMIT - before - 2 });
  });
});

describe("a refusal because of too many event streams", () => {
  it("costs one unit", async () => {
    await using served = await serve({ subscriptions: { connectionsPerCaller: 1 } });
    const leave = new AbortController();
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const body = JSON.stringify({ query: "subscription { silent }" });
    const stream = await fetch(served.url, { method: "POST", headers, body, signal: leave.signal });
    const before = await spent(served);
    expect((await post(served, KNOWN, undefined, "text/event-stream")).code).toBe("RATE_LIMITED");
    expect((await spent(served)) - before - 1).toBe(1);
    leave.abort();
    await stream.text().catch(() => {});
  });
});

describe("a refusal because the service is overloaded", () => {
  const overloaded = () => {
    const admission = createAdmission(testConfig(), logger);
    const refuse = () => new Overloaded(1);
    return { ...admission, light: { ...admission.light, refuse } };
  };
  const ways = Object.entries(WAYS);

  it.each(ways.filter(([name]) => name.startsWith("a query")))("costs nothing for %s", async (_, send) => {
    await using served = await serve({}, { admission: overloaded() });
    // The document of the second one is known.
    for (let round = 0; round < 2; round++) expect(await send(served, { code: "" })).toBe("UNAVAILABLE");
    expect(await spent(served)).toBe(0);
  });

  it.each(ways.filter(([name]) => !name.startsWith("a query")))("does not concern %s, which waits", async (_, send) => {
    await using served = await serve({}, { admission: overloaded() });
    expect(await send(served, { code: "" })).toBeUndefined();
  });
});

describe("a refusal because the server is shutting down", () => {
  it("costs nothing for an event stream", async () => {
    await using served = await serve();
    const before = await spent(served);
    served.graph.endSubscriptions();
    expect((await post(served, KNOWN, undefined, "text/event-stream")).code).toBe("UNAVAILABLE");
    expect((await spent(served)) - before - 1).toBe(0);
  });
});

describe("a refusal because of too many operations of a WebSocket", () => {
  it("costs one unit", async () => {
    await using served = await serve({ subscriptions: { operationsPerSocket: 1 } });
    const client = createClient({ url: served.url.replace("http", "ws"), webSocketImpl: WebSocket });
    const open = client.iterate({ query: "subscription { silent }" });
    silentOnes = 0;
    void open.next().catch(() => {});
    while (silentOnes === 0) await new Promise((done) => setTimeout(done, 2));
    const before = await spent(served);
    expect(await firstCode(client, KNOWN)).toBe("RATE_LIMITED");
    expect((await spent(served)) - before - 1).toBe(1);
    await client.dispose();
  });
});
