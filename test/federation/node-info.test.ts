import type { Config } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { createSubgraph as createNodeSubgraph } from "../../subgraphs/node/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { until } from "../support/indexed/indexing.ts";
import { type ReplayedNode, startReplayedNode } from "../support/node/replayed-node.ts";
import { type Served, serveGateway, serveNodeSubgraph } from "./served.ts";

let node: ReplayedNode;
let database: TestDatabase;
const open: AsyncDisposable[] = [];

beforeAll(async () => {
  [node, database] = await Promise.all([startReplayedNode(), createTestDatabase()]);
});
afterEach(async () => {
  await node.heal();
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Answer {
  readonly data: Record<string, Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path: unknown[];
    readonly extensions: { readonly code: string };
  }[];
}

type Ask = (query: string, variables?: object) => Promise<Answer>;

/** The node subgraph behind the gateway, in this process or at a URL. */
async function serve(
  nodeInterface: object = {},
  networkId = 76_001,
  isRemote = false,
  gatewayConfig?: Config,
): Promise<Ask> {
  const network = { network: "fuji", networkId, nodeUrl: node.url, genesisFile: `${ALPHA}/genesis.json.gz` };
  const config = testConfig({ primaryNetworks: [network], nodeInterface });
  const logger = createLogger("silent");
  const subgraph = isRemote
    ? { name: "node", ...(await serveNodeSubgraph({ database, config }, logger)) }
    : await createNodeSubgraph({ config, database, logger, probes: {} });
  return graphOf(subgraph, gatewayConfig ?? config);
}

async function graphOf(
  subgraph: Parameters<typeof serveGateway>[0][number] & AsyncDisposable,
  config = testConfig(),
): Promise<Ask> {
  const served: Served = await serveGateway([subgraph], undefined, undefined, config);
  open.push(served, subgraph);
  return async (query, variables = {}) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(served.url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
    return (await response.json()) as Answer;
  };
}

const WHOLE = `{ node {
  nodeId pop { publicKey proofOfPossession } ip networkId networkName
  version { version databaseVersion rpcProtocolVersion gitCommit vmVersions { name version } }
  isBootstrapped(chain: "X") blockchainId(alias: "avm")
  txFees { txFee createAssetTxFee createSubnetTxFee transformSubnetTxFee createBlockchainTxFee addPrimaryNetworkValidatorFee
    addPrimaryNetworkDelegatorFee addSubnetValidatorFee addSubnetDelegatorFee }
  vms { vmId aliases } fxs { fxId name } acps { acp supportWeight }
  peers { nodeId ip publicIp version upgradeTime lastSent lastReceived observedUptime trackedSubnets supportedAcps objectedAcps benched }
  uptime { rewardingStakePercentage weightedAveragePercentage }
  upgrades { apricotPhase1Time apricotPhase4MinPChainHeight cortinaXChainStopVertexId graniteTime graniteEpochDuration heliconTime more }
} }`;

const entriesOf = (map: unknown) => Object.entries(map as Record<string, unknown>);

/** The recorded node's answers in the form of the graph. */
function recordedWhole() {
  const of = (method: string, params = {}) => node.recorded(method, params) as Record<string, never>;
  const { nodeID, nodePOP } = of("info.getNodeID");
  const { vmVersions, ...version } = of("info.getNodeVersion");
  const { vms, fxs } = of("info.getVMs");
  const peers = (of("info.peers")["peers"] as unknown as Record<string, unknown>[]).map(
    ({ nodeID: nodeId, publicIP: publicIp, supportedACPs, objectedACPs, observedUptime, upgradeTime, ...same }) => ({
      ...same,
      upgradeTime: String(upgradeTime),
      nodeId,
      publicIp,
      supportedAcps: supportedACPs,
      objectedAcps: objectedACPs,
      observedUptime: Number(observedUptime),
    }),
  );
  return {
    nodeId: nodeID,
    pop: nodePOP,
    networkId: 76_001,
    networkName: "network-76001",
    peers,
    acps: [],
    ...of("info.getNodeIP"),
    version: { ...version, vmVersions: entriesOf(vmVersions).map(([name, one]) => ({ name, version: one })) },
    ...of("info.isBootstrapped", { chain: "X" }),
    blockchainId: of("info.getBlockchainID", { alias: "avm" })["blockchainID"],
    txFees: of("info.getTxFee"),
    vms: entriesOf(vms).map(([vmId, aliases]) => ({ vmId, aliases })),
    fxs: entriesOf(fxs).map(([fxId, name]) => ({ fxId, name })),
    uptime: of("info.uptime"),
    upgrades: {
      apricotPhase1Time: "2020-12-05T05:00:00Z",
      apricotPhase4MinPChainHeight: 0,
      graniteTime: "2020-12-05T05:00:00Z",
      cortinaXChainStopVertexId: "11111111111111111111111111111111LpoYY",
      graniteEpochDuration: "30000000000",
      heliconTime: "9999-12-01T00:00:00Z",
      more: null,
    },
  };
}

/** Methods that the whole selection needs; the network id is requested once more, to check the node. */
const CALLS = 13 + 1;

describe.each([
  ["in this process", false],
  ["by URL", true],
])("the node of the graph, %s", (_, isRemote) => {
  it("answers every field of the node, with one call for each method", async () => {
    const ask = await serve({}, 76_001, isRemote);
    const before = node.traffic.requests;
    const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => ask(WHOLE)));
    expect(first?.errors).toBeUndefined();
    expect(first?.data?.["node"]).toEqual(recordedWhole());
    expect(new Set(others.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(first)]));
    const asked = node.traffic.requests - before;
    expect(asked).toBeGreaterThanOrEqual(CALLS);
    // Answers that are cached for seconds may be requested again if a test is slow.
    expect(asked).toBeLessThan(CALLS + 10);
  });

  it("answers the other fields if one fails, with the reason", async () => {
    const ask = await serve({}, 76_001, isRemote);
    const { data, errors } = await ask(
      '{ node { networkId a: isBootstrapped b: isBootstrapped(chain: "p") c: blockchainId d: blockchainId(alias: "l1") } }',
    );
    expect(data?.["node"]).toEqual({ networkId: 76_001, a: null, b: null, c: null, d: null });
    expect(errors?.map(({ message, extensions }) => [extensions.code, message]).sort()).toEqual([
      ["NODE_REFUSED", "argument 'chain' not given"],
      ["NODE_REFUSED", "there is no ID with alias: "],
      ["NODE_REFUSED", "there is no ID with alias: l1"],
      ["NODE_REFUSED", "there is no chain with alias/ID 'p'"],
    ]);
  });
});

describe("the node of the graph", () => {
  it("lists peers in the order of the request, with repetitions, without peers that are not connected", async () => {
    const ask = await serve();
    const [, second, third] = recordedWhole().peers.map(({ nodeId }) => String(nodeId));
    const ids = JSON.stringify([third, "NodeID-111111111111111111116DBWJs", second, third]);
    const { data } = await ask(`{ node { peers(nodeIds: ${ids}) { nodeId } } }`);
    expect(data?.["node"]?.["peers"]).toEqual([third, second, third].map((nodeId) => ({ nodeId })));
    expect((await ask("{ node { peers(nodeIds: []) { nodeId } } }")).data?.["node"]?.["peers"]).toHaveLength(5);
    const { errors } = await ask('{ node { peers(nodeIds: ["NodeID-1"]) { nodeId } } }');
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["INVALID_PARAMETER"]);
  });

  it("refuses a list of more than 5,000 node ids", async () => {
    const ask = await serve();
    const nodeId = "NodeID-111111111111111111116DBWJs";
    const { errors } = await ask("query ($ids: [NodeId!]) { node { peers(nodeIds: $ids) { nodeId } } }", {
      ids: Array.from({ length: 5_001 }, () => nodeId),
    });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["OPERATION_TOO_COMPLEX"]);
  });

  it("exists only for a network that is served", async () => {
    const ask = await serve();
    expect((await ask("{ node(network: TESTNET) { networkId } }")).data).toEqual({ node: { networkId: 76_001 } });
    expect((await ask("{ node(network: MAINNET) { networkId } }")).errors).toMatchObject([
      { message: "network mainnet is not served; served networks: fuji", extensions: { code: "NOT_FOUND" } },
    ]);
  });

  it("is refused if it belongs to another network than configured", async () => {
    const ask = await serve({}, 5);
    expect((await ask("{ node { networkId ip } }")).errors).toMatchObject(
      ["networkId", "ip"].map(() => ({
        message: "the node belongs to network 76001, but network 5 is configured",
        extensions: { code: "UPSTREAM_FAILED" },
      })),
    );
  });

  it("fails with a reason without the address while the node is down, and recovers", async () => {
    const ask = await serve();
    await node.down();
    const { data, errors } = await ask("{ node { ip networkName } }");
    expect(data).toEqual({ node: { ip: null, networkName: null } });
    expect(new Set(errors?.map(({ message, extensions }) => `${extensions.code} ${message}`))).toEqual(
      new Set(["UPSTREAM_FAILED the node did not answer (ECONNREFUSED)"]),
    );
    await node.up();
    await until(
      () => ask("{ node { ip networkName } }"),
      ({ errors: left }) => left === undefined,
      "answers without errors",
    );
  });

  it("fails within its time limit if the node is slow", async () => {
    const ask = await serve({ requestTimeoutMs: 150 });
    node.faults.delayMs = 600_000;
    const { errors } = await ask("{ node { uptime { rewardingStakePercentage } } }");
    expect(errors).toMatchObject([{ message: "the node did not answer within 150 ms" }]);
  });

  it("belongs to the network of the settings if only EVM chains are indexed", async () => {
    const chain = { chainId: 760_011, network: "fuji", nodeUrl: node.url, chainName: "C" };
    const at = async (networkId: number) => {
      const config = testConfig({ evmChains: [chain], nodeInterface: { nodeUrl: node.url, networkId } });
      return graphOf(await createNodeSubgraph({ config, database, logger: createLogger("silent"), probes: {} }));
    };
    const asked = "{ node { networkId networkName } }";
    expect(await (await at(76_001))(asked)).toEqual({
      data: { node: { networkId: 76_001, networkName: "network-76001" } },
    });
    expect((await (await at(76_002))(asked)).errors?.[0]?.message).toBe(
      "the node belongs to network 76001, but network 76002 is configured",
    );
  });

  it("answers other requests while one asks for many fields", async () => {
    const ask = await serve({ requestTimeoutMs: 10_000 });
    await ask("{ node { networkId } }");
    node.faults.delayMs = 100;
    const before = node.traffic.requests;
    const aliases = Array.from({ length: 480 }, (_, i) => `a${i}: blockchainId(alias: "x${i}")`);
    let isDone = false;
    const much = ask(`{ node { ${aliases.join(" ")} } }`).finally(() => {
      isDone = true;
    });
    await until(
      async () => node.traffic.requests,
      (requests) => requests > before + 10,
      "the first of its questions to reach the node",
    );
    const others = await Promise.all(
      ["ip", "uptime { rewardingStakePercentage }", "networkName"].map((what) => ask(`{ node { ${what} } }`)),
    );
    expect([others.map(({ errors }) => errors), isDone]).toEqual([Array(3).fill(undefined), false]);
    const { errors } = await much;
    expect(errors).toHaveLength(480);
    expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(["NODE_REFUSED"]));
    expect(node.traffic.maxInFlight).toBeLessThan(40);
  });

  it("has no node-specific fields in the schema of callers of a public server", async () => {
    const ask = await serve({ public: true });
    const fields = ["nodeId", "validatorNode { id }", "pop { publicKey }", "ip", "vms { vmId }", "fxs { fxId }"];
    const roots = ["health", "readiness", "liveness"];
    for (const selection of [
      ...fields.map((field) => `node { ${field} }`),
      ...roots.map((root) => `${root} { healthy }`),
    ])
      expect((await ask(`{ ${selection} }`)).errors).toMatchObject([
        { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
      ]);
    const { data } = await ask('{ __type(name: "HealthReport") { name } node { networkId } }');
    expect(data).toEqual({ __type: null, node: { networkId: 76_001 } });
  });

  it("hides node-specific data of a public subgraph from a gateway that is not public", async () => {
    const ask = await serve({ public: true }, 76_001, false, testConfig());
    const { data, errors } = await ask(
      "{ node { nodeId pop { publicKey } ip vms { vmId } fxs { fxId } networkId version { version } } }",
    );
    expect(data?.["node"]).toMatchObject({
      nodeId: null,
      pop: null,
      ip: null,
      vms: null,
      fxs: null,
      networkId: 76_001,
    });
    expect(errors?.map(({ message, extensions }) => [extensions.code, message]).sort()).toEqual(
      ["getNodeID", "getNodeID", "getNodeIP", "getVMs", "getVMs"].map((name) => [
        "NOT_PUBLIC",
        `info.${name} is not available on a public server`,
      ]),
    );
    const withPeers = await ask("{ node { peers { nodeId ip publicIp version } } }");
    const { peers = [] } = Object(withPeers.data?.["node"]) as { readonly peers?: readonly object[] };
    expect(peers.length).toBeGreaterThan(1);
    for (const peer of peers)
      expect(peer).toMatchObject({ nodeId: expect.stringMatching(/^NodeID-/), ip: "", publicIp: "" });
    for (const name of ["health", "readiness", "liveness"]) {
      const refused = await ask(`{ node { networkId } ${name} { healthy } }`);
      expect(refused.errors?.map(({ extensions }) => extensions.code)).toEqual(["NOT_PUBLIC"]);
      expect(refused.data).toEqual({ node: { networkId: 76_001 }, [name]: null });
    }
  });
});
