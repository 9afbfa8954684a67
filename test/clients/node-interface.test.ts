import { type NodeCall, recordedCalls } from "../support/node-http/node-http.ts";
import { type NodeStack, startNodeStack } from "../support/node-http/node-http-stack.ts";

/** The clients' own types need another module resolution than ours, so the compiler must not follow the names. */
const AVALANCHEJS: string = "@avalabs/avalanchejs";
const SDK: string = "@avalanche-sdk/client";

type Methods = Readonly<Record<string, (argument?: unknown) => Promise<unknown>>>;
interface SdkClient {
  readonly info: Methods;
  readonly health: Methods;
}
interface Sdk {
  createAvalancheClient(options: object): SdkClient;
  readonly createInfoApiClient: (options: object) => Methods;
}

const RECORDED = recordedCalls();
const files = (...names: readonly string[]): NodeCall[] => names.flatMap((name) => RECORDED.get(name) ?? []);

/** Votes in the form of a node's answer, because the recorded release has none. */
const VOTES = {
  "118": {
    supportWeight: "18446744073709551615",
    supporters: ["NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg"],
    objectWeight: "0",
    objectors: [],
    abstainWeight: "7",
  },
  "23": { supportWeight: "1", supporters: [], objectWeight: "2", objectors: [], abstainWeight: "3" },
};
const [anyCall] = files("usual") as [NodeCall];
const VOTED: NodeCall = {
  ...anyCall,
  path: "/ext/info",
  requestBody: '{"method":"info.acps"}',
  response: anyCall.response && {
    ...anyCall.response,
    status: 200,
    body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", result: { acps: VOTES }, id: 1 })),
  },
};

const PEER = "NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ";

let stack: NodeStack;
let nodeResult: NodeStack["node"]["resultOf"];
beforeAll(async () => {
  stack = await startNodeStack({ calls: [VOTED, ...files("usual", "info-arguments")] });
  nodeResult = stack.node.resultOf;
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("the unmodified official library for applications returns the node's answers:", () => {
  let info: Methods;
  beforeAll(async () => {
    const { info: module } = (await import(AVALANCHEJS)) as { info: { InfoApi: new (url: string) => unknown } };
    const api = new module.InfoApi(stack.url) as Methods;
    info = new Proxy(api, {
      get: (of, name) => (argument?: unknown) => (of[String(name)] as Methods[string]).call(of, argument),
    });
  });

  it.each([
    ["N4", "getNetworkId", "info.getNetworkID"],
    ["N5", "getNetworkName", "info.getNetworkName"],
    ["N6", "getNodeId", "info.getNodeID"],
    ["N7", "getNodeIp", "info.getNodeIP"],
    ["N8", "getNodeVersion", "info.getNodeVersion"],
    ["N10", "getVMs", "info.getVMs"],
    ["N11", "peers", "info.peers"],
    ["N12", "uptime", "info.uptime"],
    ["N13", "getUpgradesInfo", "info.upgrades"],
  ])("%s %s", async (_, name, method) => {
    const answer = await info[name]?.();
    expect(answer).toEqual(nodeResult(method));
    expect(Object.keys(answer as object)).not.toEqual([]);
  });

  it("N3 getBlockchainId, and the node's message for an unknown alias", async () => {
    expect(await info["getBlockchainId"]?.("X")).toEqual(nodeResult("info.getBlockchainID", "X"));
    expect(await info["getBlockchainId"]?.("C")).toEqual(nodeResult("info.getBlockchainID", "C"));
    await expect(info["getBlockchainId"]?.("foo")).rejects.toThrow("there is no ID with alias: foo");
  });

  it("N11 peers by their ids", async () => {
    expect(await info["peers"]?.([PEER])).toMatchObject({ numPeers: "1", peers: [{ nodeID: PEER }] });
  });

  it("N2 isBootstrapped, which asks for peers with a parameter that is ignored", async () => {
    expect(await info["isBootstrapped"]?.("P")).toEqual(nodeResult("info.peers"));
  });
});

describe("the unmodified official library for chains returns the node's answers:", () => {
  let client: SdkClient;
  const clientOf = async (url: string): Promise<SdkClient> => {
    const { createAvalancheClient } = (await import(SDK)) as Sdk;
    const chains: string = `${SDK}/chains`;
    const { avalancheFuji } = (await import(chains)) as { avalancheFuji: unknown };
    return createAvalancheClient({ chain: avalancheFuji, transport: { type: "http", url, retryCount: 0 } });
  };
  beforeAll(async () => {
    client = await clientOf(stack.url);
  });
  const info = (name: string, argument?: unknown) => client.info[name]?.(argument);
  const health = (name: string, argument?: unknown) => client.health[name]?.(argument);

  it.each(["getNetworkID", "getNetworkName", "getNodeID", "getNodeIP", "getNodeVersion", "getVMs"])(
    "N4 to N10 %s",
    async (name) => {
      expect(await info(name)).toEqual(nodeResult(`info.${name}`));
    },
  );

  it.each(["peers", "uptime", "upgrades"])("N11 to N13 %s", async (name) => {
    expect(await info(name)).toEqual(nodeResult(`info.${name}`));
  });

  it("N1 acps, with weights above the range of a JavaScript number", async () => {
    const { acps } = (await info("acps")) as { acps: Map<number, { supportWeight: bigint; supporters: Set<string> }> };
    expect([...acps.keys()].sort()).toEqual([118, 23]);
    expect(acps.get(118)).toMatchObject({ supportWeight: 2n ** 64n - 1n });
    expect([...(acps.get(118)?.supporters ?? [])]).toEqual(VOTES["118"].supporters);
  });

  it("N2 isBootstrapped and N3 getBlockchainID", async () => {
    expect(await info("isBootstrapped", { chain: "C" })).toEqual({ isBootstrapped: true });
    expect(await info("getBlockchainID", { alias: "C" })).toEqual(nodeResult("info.getBlockchainID", "C"));
  });

  it("N9 getTxFee", async () => {
    const fees = Object.entries(nodeResult("info.getTxFee")).map(([name, fee]) => [name, BigInt(fee as string)]);
    expect(fees).toHaveLength(9);
    expect(await info("getTxFee")).toEqual(Object.fromEntries(fees));
  });

  it("N11 peers by their ids", async () => {
    expect(await info("peers", { nodeIDs: [PEER] })).toMatchObject({ numPeers: "1", peers: [{ nodeID: PEER }] });
  });

  it("H5 to H7 health, readiness and liveness", async () => {
    expect(await health("health")).toMatchObject({ healthy: true, checks: { P: expect.anything() } });
    const tagged = (await health("health", { tags: ["foo"] })) as { checks: Record<string, unknown> };
    expect(Object.keys(tagged.checks)).not.toContain("P");
    expect(tagged).toMatchObject({ healthy: true, checks: { network: expect.anything() } });
    expect(await health("readiness", { tags: ["foo"] })).toMatchObject({ checks: { bootstrapped: { message: [] } } });
    expect(await health("liveness")).toEqual({ checks: {}, healthy: true });
  });

  it("H5 health of an unhealthy node, over HTTP 200", async () => {
    await using outage = await startNodeStack({ calls: files("outage-usual") });
    const { health: bad } = await clientOf(outage.url);
    expect((await fetch(`${outage.url}/ext/health`)).status).toBe(503);
    expect(await bad["health"]?.()).toMatchObject({ healthy: false });
  });

  it("N2 a refusal of the node, with its message", async () => {
    const none = info("isBootstrapped", { chain: "foo" });
    await expect(none).rejects.toMatchObject({ code: -32000, details: "there is no chain with alias/ID 'foo'" });
  });

  it("N6 a refusal on a public server, which the client does not retry", async () => {
    await using open = await startNodeStack({ calls: files("usual"), nodeInterface: { public: true } });
    const { info: openInfo } = await clientOf(open.url);
    const refused = openInfo["getNodeID"]?.();
    await expect(refused).rejects.toThrow(/not available on a public server/);
  });
});
