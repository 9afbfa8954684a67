import type { IncomingMessage } from "node:http";
import pino from "pino";
import type { GraphClient, RequestInfo } from "../../core/graph/graph-client.ts";
import { createCallers } from "../../core/limits/access/callers.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { testConfig } from "../../test/support/config.ts";
import { type Listener, listen } from "../../test/support/node/listen.ts";
import { createSmallGraph } from "../../test/support/small-graph.ts";
import { createRestServer } from "../rest-server.ts";

const CHAIN = { nodeUrl: "http://127.0.0.1:1", chainName: "Any" };
const BLOCKCHAIN_ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";

/** A server whose clock the test sets. */
async function startLimited(
  settings: Record<string, unknown>,
  graph: GraphClient = createSmallGraph(),
): Promise<Listener & { readonly clock: { ms: number } }> {
  const clock = { ms: 60_000_000 };
  const config = testConfig({
    evmChains: [
      { ...CHAIN, chainId: 1, network: "mainnet", blockchainId: BLOCKCHAIN_ID },
      { ...CHAIN, chainId: 2, network: "testnet" },
    ],
    ...settings,
  });
  const { handler } = createRestServer({
    graph,
    config,
    logger: pino({ level: "silent" }),
    counters: createLocalCounters(),
    nowMs: () => clock.ms,
  });
  return { ...(await listen(handler)), clock };
}

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, body: await response.json(), headers: Object.fromEntries(response.headers) };
}

describe("API keys", () => {
  const apiKeys = [
    { key: "key-of-all-networks" },
    { key: "key-of-mainnet", networks: ["mainnet"] },
    { key: "key-of-fuji", networks: ["fuji"] },
  ];
  let rest: Awaited<ReturnType<typeof startLimited>>;
  beforeAll(async () => {
    rest = await startLimited({ apiKeys });
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  it.each([
    ["no key", {}, 200],
    ["an empty key", { "x-service-api-key": "" }, 200],
    ["a known key", { "x-service-api-key": "key-of-all-networks" }, 200],
    ["a known key in the other header", { "x-glacier-api-key": "key-of-all-networks" }, 200],
    ["an unknown key", { "x-service-api-key": "unknown key" }, 401],
    ["an unknown key in the other header", { "x-glacier-api-key": "unknown key" }, 401],
    [
      "an unknown key in the contract's header and a known one in the other",
      { "x-service-api-key": "x", "x-glacier-api-key": "key-of-fuji" },
      401,
    ],
    ["the name of a property of every object", { "x-service-api-key": "constructor" }, 401],
    ["unrelated headers", { rltoken: "x", "x-app-component": "y", cookie: "" }, 200],
  ])("are checked: %s", async (_, headers, status) => {
    const answer = await get(`${rest.url}/v1/chains/2`, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status === 401)
      expect(answer.body).toEqual({ message: "the API key is unknown", statusCode: 401, error: "Unauthorized" });
  });

  it.each([
    ["key-of-mainnet", "/v1/chains/1", 200],
    ["key-of-mainnet", `/v1/chains/${BLOCKCHAIN_ID}`, 200],
    ["key-of-mainnet", "/v1/chains/2", 403],
    ["key-of-mainnet", "/v1/chains/2/blocks", 403],
    ["key-of-mainnet", "/hosted/v1/chains/2/blocks", 403],
    ["key-of-mainnet", "/v1/chains/3", 200],
    ["key-of-mainnet", "/v1/chains", 200],
    ["key-of-mainnet", "/v1/chains?network=mainnet", 200],
    ["key-of-mainnet", "/v1/chains?network=testnet", 403],
    ["key-of-fuji", "/v1/chains?network=testnet", 200],
    ["key-of-fuji", "/v1/chains?network=fuji", 200],
    ["key-of-fuji", "/v1/chains/2", 200],
    ["key-of-fuji", `/v1/chains/${BLOCKCHAIN_ID}`, 403],
    ["key-of-fuji", "/v1/chains/1/blocks?pageSize=x", 400],
  ])("with %s, %s answers %i", async (key, path, status) => {
    const answer = await get(rest.url + path, { "x-service-api-key": key });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toMatchObject({ statusCode: 403, error: "Forbidden" });
  });

  it("are passed to the graph with their name, a hash", async () => {
    const infos: RequestInfo[] = [];
    const graph = createSmallGraph();
    const prepare: GraphClient["prepare"] = (document) => (variables, info) => {
      infos.push(info);
      return graph.prepare(document)(variables, info);
    };
    await using other = await startLimited({ apiKeys }, { ...graph, prepare });
    const id = { "x-request-id": "r1" };
    await get(`${other.url}/v1/chains`, { ...id, "x-glacier-api-key": "key-of-fuji" });
    await get(`${other.url}/v1/chains`, id);
    const caller = expect.stringMatching(/^[\w-]{22}$/);
    expect(infos).toMatchObject([{ requestId: "r1", caller, apiKey: "key-of-fuji" }, { requestId: "r1" }]);
    expect(infos[1]).not.toHaveProperty("caller");
  });

  it.each([
    ["E17", "/v1/chains", {}],
    ["Query.chains", "/v1/chains", {}],
    ["Query.averageTps", "/v1/avg_tps/2", {}],
    ["info.peers", "/ext/info", { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"info.peers"}' }],
  ])("can be required for %s: 401 without a key, 403 without the scope", async (name, path, init) => {
    const part = name.startsWith("Query") ? { fields: [name] } : { routes: [name] };
    const keys = [{ key: "key-without-scope" }, { key: "key-with-scope", scopes: ["reader"] }];
    await using rest = await startLimited({ apiKeys: keys, keyRequirements: [{ ...part, scope: "reader" }] });
    const statusFor = async (key?: string) => {
      const headers = { "content-type": "application/json", ...(key ? { "x-service-api-key": key } : {}) };
      return (await fetch(rest.url + path, { ...init, headers })).status;
    };
    // The node interface answers 401 in place of 403, because one client of nodes repeats a request after 403.
    expect(await statusFor()).toBe(401);
    expect(await statusFor("key-without-scope")).toBe(path === "/ext/info" ? 401 : 403);
    expect([401, 403]).not.toContain(await statusFor("key-with-scope"));
  });

  it("are required before parameters are read", async () => {
    await using rest = await startLimited({ apiKeys, keyRequirements: [{ routes: ["E14"] }] });
    const wrong = `${rest.url}/v1/chains/2/blocks?pageSize=x`;
    expect((await get(wrong)).status).toBe(401);
    expect((await get(wrong, { "x-service-api-key": "key-of-all-networks" })).status).toBe(400);
  });

  it("cost the caller if a required one is missing, also of a JSON-RPC method", async () => {
    const keyRequirements = [{ routes: ["E17", "info.peers"] }];
    await using rest = await startLimited({ apiKeys, keyRequirements, computeUnitsPerMinute: 1_000 });
    const rpc = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"info.peers"}' };
    const remaining: number[] = [];
    for (const [path, init] of [
      ["/v1/chains", {}],
      ["/ext/info", rpc],
    ] as const) {
      const response = await fetch(rest.url + path, { ...init, headers: { "content-type": "application/json" } });
      expect(response.status).toBe(401);
      remaining.push(Number(response.headers.get("ratelimit-remaining")));
    }
    expect(remaining[0]).toBeLessThan(1_000);
    expect(remaining[1]).toBeLessThan(remaining[0] ?? 0);
  });

  it("are ignored on metrics routes", async () => {
    expect((await get(`${rest.url}/v2/live-check`, { "x-service-api-key": "unknown key" })).status).toBe(200);
  });

  it("are read from the configured headers", async () => {
    await using other = await startLimited({ apiKeys, keyHeaders: ["X-My-Key"] });
    expect((await get(`${other.url}/v1/chains`, { "x-my-key": "unknown" })).status).toBe(401);
    expect((await get(`${other.url}/v1/chains`, { "x-service-api-key": "unknown" })).status).toBe(200);
  });
});

describe("the networks of an API key", () => {
  const node = { nodeUrl: CHAIN.nodeUrl };
  const config = testConfig({
    apiKeys: [{ key: "key-of-fuji", networks: ["fuji"] }],
    evmChains: [
      { ...CHAIN, chainId: 1, network: "mainnet", blockchainId: BLOCKCHAIN_ID },
      { ...CHAIN, chainId: 2, network: "fuji" },
    ],
    primaryNetworks: [
      { ...node, network: "mainnet" },
      { ...node, network: "fuji", networkId: 12345, genesisFile: "genesis.json" },
    ],
  });
  const callers = createCallers(config);
  const headers = { "x-service-api-key": "key-of-fuji" };
  const caller = callers.byKey({ headers } as unknown as IncomingMessage);
  const evm = (...includeChains: unknown[]) => ({ type: "TRANSACTION_EXPORT_EVM", options: { includeChains } });
  const primary = (addresses: readonly string[], ...includeChains: string[]) => ({
    type: "TRANSACTION_EXPORT_PRIMARY_NETWORK",
    options: { addresses, includeChains },
  });
  const FUJI_X = "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm";

  it.each([
    [evm("2"), null],
    [evm("2", "1"), "mainnet"],
    [evm(BLOCKCHAIN_ID), "mainnet"],
    [evm("3"), null],
    [primary(["P-local1qqq"], "p-chain"), null],
    [primary(["LOCAL1QQQ"], "x-chain"), null],
    [primary(["local1qqq", "X-avax1qqq"], "x-chain"), "mainnet"],
    [primary([], "p-chain"), "mainnet"],
    [primary([], "p-chain", FUJI_X), null],
    [primary(["fuji1qqq"], "p-chain"), "mainnet"],
    [primary([], BLOCKCHAIN_ID), "mainnet"],
    [{ type: "TRANSACTION_EXPORT_PRIMARY_NETWORK", options: {} }, "mainnet"],
  ])("that is valid for Fuji: the network that is refused in the export %j is %s", (request, network) => {
    const check = () => callers.requireNetwork(caller, { request });
    if (network === null) expect(check).not.toThrow();
    else expect(check).toThrow(`the API key is not valid for the network ${network}`);
  });
});

describe("the rate limit", () => {
  it("counts the compute units of each route and reports what remains", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 25 });
    rest.clock.ms += 18_200;
    const address = "0x".padEnd(42, "0");
    const list = await get(`${rest.url}/v1/chains/1/addresses/${address}/transactions:listErc20`);
    expect(list.headers).toMatchObject({
      ratelimit: '"minute";r=5;t=42',
      "ratelimit-policy": '"minute";q=25;w=60',
      "ratelimit-limit": "25",
      "ratelimit-remaining": "5",
    });
    expect(list.headers).not.toHaveProperty("ratelimit-reset");
    const refused = await get(`${rest.url}/v1/chains/1/blocks`);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        message: "the limit of 25 compute units per minute is used up, try again in 42 s",
        statusCode: 429,
        error: "Too Many Requests",
      },
      headers: { "ratelimit-remaining": "5", "ratelimit-reset": "42", "retry-after": "42" },
    });
    expect(await get(`${rest.url}/v1/chains`)).toMatchObject({ status: 200, headers: { "ratelimit-remaining": "4" } });
  });

  it("says that a request can never succeed if it costs more than the whole limit, and names no time to wait", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 9 });
    const refused = await get(`${rest.url}/v1/chains/1/blocks`);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        message:
          "this request costs 10 compute units, more than the limit of 9 per minute: it can never succeed with this limit",
        statusCode: 429,
      },
      headers: { "ratelimit-limit": "9", "ratelimit-remaining": "9" },
    });
    expect(refused.headers).not.toHaveProperty("retry-after");
  });

  it("is available again after the seconds of retry-after", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 1 });
    expect((await get(`${rest.url}/v1/chains`)).status).toBe(200);
    const { status, headers } = await get(`${rest.url}/v1/chains`);
    expect(status).toBe(429);
    rest.clock.ms += Number(headers["retry-after"]) * 1_000;
    expect((await get(`${rest.url}/v1/chains`)).status).toBe(200);
  });

  it("counts requests with invalid parameters, and reports it in their headers", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 25 });
    const refused = await get(`${rest.url}/v1/chains/1/blocks?pageSize=x`);
    expect(refused).toMatchObject({ status: 400, headers: { "ratelimit-remaining": "15" } });
  });

  it("is counted for each key by itself, and does not apply to a key without a limit", async () => {
    const apiKeys = [
      { key: "small-key", computeUnitsPerMinute: 2 },
      { key: "other-key", computeUnitsPerMinute: 3 },
    ];
    await using rest = await startLimited({ computeUnitsPerMinute: 1, apiKeys: [...apiKeys, { key: "free-key" }] });
    const remaining = async (key?: string) => {
      const { headers } = await get(`${rest.url}/v1/chains`, key ? { "x-service-api-key": key } : {});
      return headers["ratelimit-remaining"];
    };
    expect(await remaining("small-key")).toBe("1");
    expect(await remaining("other-key")).toBe("2");
    expect(await remaining()).toBe("0");
    expect(await remaining("small-key")).toBe("0");
    expect(await remaining("free-key")).toBeUndefined();
  });

  it("is counted by address: behind a trusted proxy the last forwarded one, of IPv6 the first 64 bits", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 10, trustProxy: true });
    const remaining = async (forwarded: string) => {
      const { headers } = await get(`${rest.url}/v1/chains`, { "x-forwarded-for": forwarded });
      return headers["ratelimit-remaining"];
    };
    expect(await remaining("10.0.0.1")).toBe("9");
    expect(await remaining("6.6.6.6, 10.0.0.1")).toBe("8");
    expect(await remaining("::ffff:10.0.0.1")).toBe("7");
    expect(await remaining("10.0.0.2")).toBe("9");
    expect(await remaining("2001:db8:1:2:3::4")).toBe("9");
    expect(await remaining("2001:db8:1:2::")).toBe("8");
    expect(await remaining("2001:db8:1:3::")).toBe("9");
    expect(await remaining("::1")).toBe("9");
  });

  it("has a limit per day beside the one per minute, also for keys", async () => {
    const apiKeys = [{ key: "key-with-a-day", computeUnitsPerMinute: 5, computeUnitsPerDay: 2 }];
    await using rest = await startLimited({ computeUnitsPerDay: 1, apiKeys });
    expect((await get(`${rest.url}/v1/chains`)).headers["ratelimit-policy"]).toBe('"day";q=1;w=86400');
    expect((await get(`${rest.url}/v1/chains`)).status).toBe(429);
    const { headers } = await get(`${rest.url}/v1/chains`, { "x-service-api-key": "key-with-a-day" });
    expect(headers["ratelimit-policy"]).toBe('"minute";q=5;w=60, "day";q=2;w=86400');
  });

  it("is in the headers of refusals that cost nothing, and not in those of probes", async () => {
    const apiKeys = [{ key: "key-with-a-limit", computeUnitsPerMinute: 5 }];
    await using rest = await startLimited({ computeUnitsPerMinute: 2, apiKeys });
    const left = async (path: string, key = "", method = "GET") => {
      const { status, headers } = await fetch(rest.url + path, { method, headers: { "x-service-api-key": key } });
      return [status, headers.get("ratelimit-remaining") ?? undefined];
    };
    for (let round = 0; round < 3; round++) {
      expect(await left("/v1/nothing")).toEqual([404, "2"]);
      expect(await left("/v1/chains", "", "POST")).toEqual([404, "2"]);
      expect(await left("/v1/%zz", "key-with-a-limit")).toEqual([400, "5"]);
      expect(await left("/ext/info")).toEqual([405, "2"]);
      expect(await left("/ext/info", "key-with-a-limit", "POST")).toEqual([415, "5"]);
      expect(await left("/v1/live-check")).toEqual([200, undefined]);
    }
    expect(await left("/v1/nothing", "unknown")).toEqual([404, "1"]);
  });

  it("is in the headers of refused bodies, which cost nothing, and not in those of probes", async () => {
    const apiKeys = [{ key: "key-with-a-limit", computeUnitsPerMinute: 5 }];
    const limits = { computeUnitsPerMinute: 2, metricsComputeUnitsPerMinute: 3, bodyLimitBytes: 1_000 };
    await using rest = await startLimited({ ...limits, apiKeys });
    const left = async (path: string, key = "") => {
      const headers = { "content-type": "application/json", "x-service-api-key": key };
      const { status, headers: received } = await fetch(rest.url + path, {
        method: "POST",
        headers,
        body: "x".repeat(1_001),
      });
      return [status, received.get("ratelimit-remaining") ?? undefined];
    };
    for (let round = 0; round < 3; round++) {
      expect(await left("/v1/operations")).toEqual([400, "2"]);
      expect(await left("/v1/operations", "key-with-a-limit")).toEqual([400, "5"]);
      expect(await left("/v1/nothing")).toEqual([400, "2"]);
      expect(await left("/ext/info")).toEqual([400, "2"]);
      expect(await left("/ext/info", "key-with-a-limit")).toEqual([400, "5"]);
    }
    expect(await left("/v1/operations", "unknown")).toEqual([400, "1"]);
  });

  it("charges requests with an unknown key to their address", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 2 });
    const answers = [];
    for (let round = 0; round < 3; round++)
      answers.push(await get(`${rest.url}/v1/chains`, { "x-service-api-key": `unknown-${round}` }));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(answers[2]?.headers).toMatchObject({ "ratelimit-remaining": "0", "retry-after": "60" });
  });

  it("ignores forwarded addresses without a trusted proxy", async () => {
    await using rest = await startLimited({ computeUnitsPerMinute: 10 });
    const seen = await Promise.all(
      ["1.1.1.1", "2.2.2.2"].map((address) => get(`${rest.url}/v1/chains`, { "x-forwarded-for": address })),
    );
    expect(seen.map(({ headers }) => headers["ratelimit-remaining"]).sort()).toEqual(["8", "9"]);
  });

  it("is off by default, and never applies to probes and pages", async () => {
    await using off = await startLimited({});
    expect((await get(`${off.url}/v1/chains`)).headers).not.toHaveProperty("ratelimit-limit");
    await using on = await startLimited({ computeUnitsPerMinute: 1 });
    for (let round = 0; round < 3; round++) expect((await get(`${on.url}/v1/health-check`)).status).toBe(200);
    expect((await get(`${on.url}/openapi.json`)).headers).not.toHaveProperty("ratelimit-limit");
  });
});
