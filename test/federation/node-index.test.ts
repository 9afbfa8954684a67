import { graphql } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { createSubgraph as createNodeSubgraph, type NodeSubgraph } from "../../subgraphs/node/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { type PrimaryIndexing, startPrimaryIndexing } from "../support/indexed/primary-indexing.ts";

const P_CHAIN = "11111111111111111111111111111111LpoYY";
const L1 = "RNvsaukvAFhfwZojarjF3LEwq3P6amZ8C2y8NBqBUdgGuyjoV";

let replay: ReplayNode;
let indexing: PrimaryIndexing;
let subgraph: NodeSubgraph;

beforeAll(async () => {
  replay = await startReplayNode();
  indexing = await startPrimaryIndexing({ folder: ALPHA, node: replay });
  await indexing.untilHeads({ P: replay.head("P"), X: replay.head("X"), C: replay.head("C") });
  for (const chain of ["P", "X", "C"] as const) await indexing.untilState(chain, "FOLLOWING");
  subgraph = await open();
});
afterAll(async () => {
  await subgraph[Symbol.asyncDispose]();
  await indexing[Symbol.asyncDispose]();
  await replay[Symbol.asyncDispose]();
});

/** The node subgraph without a node. */
function open(database = indexing.database, network: object = {}): Promise<NodeSubgraph> {
  const { manifest } = replay.recording;
  const config = testConfig({
    primaryNetworks: [{ ...demoNetwork(manifest, ALPHA, replay.url), ...network }],
    evmChains: demoConfig(manifest, replay.url),
    nodeInterface: { askNode: false },
  });
  return createNodeSubgraph({ config, database, logger: createLogger("silent"), probes: {} });
}

async function ask(query: string, of = subgraph) {
  const contextValue = of.context({ work: createWork(), requestId: "test" });
  const { data, errors = [] } = await graphql({ schema: of.schema, source: `{ node { ${query} } }`, contextValue });
  const { node } = JSON.parse(JSON.stringify(data)) as { node: Record<string, unknown> };
  return { node, errors: errors.map(({ message, extensions }) => `${extensions["code"]} ${message}`) };
}

const recorded = (method: string, params: object = {}) =>
  JSON.parse(replay.recording.answer("/ext/info", method, params)?.text ?? "null") as Record<string, unknown>;

describe("the node interface without a node", () => {
  it("answers for the network as its nodes do", async () => {
    const { node, errors } = await ask("networkId networkName acps { acp }");
    expect(errors).toEqual([]);
    expect(node).toEqual({ networkId: 76_001, ...recorded("info.getNetworkName"), acps: [] });
  });

  it("answers fees and upgrades as the nodes do", async () => {
    const fees = Object.keys(recorded("info.getTxFee")).join(" ");
    const { cortinaXChainStopVertexID, graniteEpochDuration, ...upgrades } = recorded("info.upgrades");
    const names = [...Object.keys(upgrades), "cortinaXChainStopVertexId", "graniteEpochDuration"].join(" ");
    expect((await ask(`txFees { ${fees} } upgrades { ${names} }`)).node).toEqual({
      txFees: recorded("info.getTxFee"),
      upgrades: {
        ...upgrades,
        cortinaXChainStopVertexId: cortinaXChainStopVertexID,
        graniteEpochDuration: String(graniteEpochDuration),
      },
    });
  });

  it.each(["P", "platform", "X", "avm", "C", "evm", P_CHAIN, L1])(
    "knows the chain %s as its nodes do",
    async (alias) => {
      const { node } = await ask(`blockchainId(alias: "${alias}")`);
      expect(node["blockchainId"]).toBe(recorded("info.getBlockchainID", { alias })["blockchainID"]);
    },
  );

  it.each(["nope", "p", "", "NodeID-111111111111111111116DBWJs", `0x${"00".repeat(32)}`, `${L1}1`])(
    "refuses the alias %p with a node's message",
    async (alias) => {
      expect(await ask(`blockchainId(alias: "${alias}")`)).toEqual({
        node: { blockchainId: null },
        errors: [`NODE_REFUSED there is no ID with alias: ${alias}`],
      });
    },
  );

  it.each(["P", "platform", "X", "avm", "C", "evm", P_CHAIN])(
    "reports that %s is bootstrapped once it was indexed to its head",
    async (chain) => {
      expect(await ask(`isBootstrapped(chain: "${chain}")`)).toEqual({ node: { isBootstrapped: true }, errors: [] });
    },
  );

  it("reports a served chain as not bootstrapped until it is indexed", async () => {
    expect((await ask(`isBootstrapped(chain: "${L1}")`)).node).toEqual({ isBootstrapped: false });
  });

  it("refuses chains that it does not index, with the message of a node", async () => {
    expect(
      (await ask('isBootstrapped(chain: "foo") a: isBootstrapped b: isBootstrapped(chain: "")')).errors.sort(),
    ).toEqual([
      "NODE_REFUSED argument 'chain' not given",
      "NODE_REFUSED argument 'chain' not given",
      "NODE_REFUSED there is no chain with alias/ID 'foo'",
    ]);
  });

  it("returns the same answers while the indexer waits for its node", async () => {
    await indexing.database.pool.query("UPDATE primary_progress SET state = 'WAITING' WHERE chain = 'P'");
    await using fresh = await open();
    expect((await ask('isBootstrapped(chain: "P")', fresh)).node).toEqual({ isBootstrapped: true });
  });

  it("refuses methods that need a node", async () => {
    const { node, errors } = await ask(
      "nodeId ip version { version } vms { vmId } peers { nodeId } uptime { rewardingStakePercentage }",
    );
    expect(node).toEqual({ nodeId: null, ip: null, version: null, vms: null, peers: null, uptime: null });
    expect(errors.sort()).toEqual(
      ["getNodeID", "getNodeIP", "getNodeVersion", "getVMs", "peers", "uptime"].map(
        (name) => `NODE_REFUSED info.${name} needs a node: no upstream node is configured`,
      ),
    );
  });

  it("fails with the reason until the genesis is indexed", async () => {
    await using empty = await createTestDatabase();
    await using fresh = await open(empty);
    const notYet = "UNAVAILABLE network fuji is not indexed yet: its genesis has not been read";
    expect(await ask('networkId blockchainId(alias: "X") upgrades { banffTime }', fresh)).toEqual({
      node: { networkId: 76_001, blockchainId: null, upgrades: null },
      errors: [notYet, notYet],
    });
  });

  it("reports every chain as not bootstrapped until the genesis is indexed", async () => {
    await using empty = await createTestDatabase();
    await using fresh = await open(empty);
    for (const chain of ["P", "X", "C", P_CHAIN, L1])
      expect([chain, await ask(`isBootstrapped(chain: "${chain}")`, fresh)]).toEqual([
        chain,
        { node: { isBootstrapped: false }, errors: [] },
      ]);
  });
});

const NAMES = [
  [1, "mainnet", "2022-10-18T16:00:00Z", 793_005, "1000000000", "9999-12-01T00:00:00Z"],
  [5, "fuji", "2022-10-03T14:00:00Z", 47_437, "100000000", "2026-07-28T15:00:00Z"],
] as const;

describe("the node interface of a network that is not indexed", () => {
  it.each(NAMES)(
    "answers for network %p (%s) from the configuration",
    async (networkId, network, banffTime, height, fee, helicon) => {
      const config = testConfig({ nodeInterface: { network } });
      const deps = { config, database: indexing.database, logger: createLogger("silent"), probes: {} };
      await using own = await createNodeSubgraph(deps);
      const { node, errors } = await ask(
        'networkId networkName upgrades { banffTime apricotPhase4MinPChainHeight graniteEpochDuration heliconTime } txFees { createSubnetTxFee } p: blockchainId(alias: "P") x: blockchainId(alias: "X")',
        own,
      );
      expect(errors).toEqual(["NODE_REFUSED there is no ID with alias: X"]);
      expect(node).toEqual({
        networkId,
        networkName: network,
        txFees: { createSubnetTxFee: fee },
        p: P_CHAIN,
        x: null,
        upgrades: {
          banffTime,
          apricotPhase4MinPChainHeight: height,
          graniteEpochDuration: "300000000000",
          heliconTime: helicon,
        },
      });
    },
  );
});
