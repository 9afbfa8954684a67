import { createLogger } from "../../core/observability/logger.ts";
import { demoNetwork } from "../../recordings/demo.ts";
import { readManifest } from "../../recordings/manifest.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { createSubgraph as createNodeSubgraph } from "../../subgraphs/node/subgraph.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../../subgraphs/primary-network/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { type ReplayedNode, startReplayedNode } from "../support/node/replayed-node.ts";
import { serveGateway, serveNodeSubgraph, servePrimarySubgraph } from "./served.ts";

let node: ReplayedNode;
let database: ReplayedPrimary;
const open: AsyncDisposable[] = [];

beforeAll(async () => {
  [node, database] = await Promise.all([startReplayedNode(), replayPrimary(ALPHA)]);
});
afterEach(async () => {
  await node.heal();
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Staker {
  readonly nodeId: string;
  readonly peer: Record<string, unknown> | null;
}

interface Answer {
  readonly data: { readonly list: { readonly validators: readonly Staker[] } };
  readonly errors?: unknown;
}

type Where = "in this process" | "by URL";

async function serve(where: Where, nodeInterface: object = {}): Promise<(query: string) => Promise<Answer>> {
  const network = demoNetwork(readManifest(ALPHA), ALPHA, node.url);
  const config = testConfig({ primaryNetworks: [network], nodeInterface });
  const logger = createLogger("silent");
  if (where === "by URL") {
    const [primary, served] = await Promise.all([
      servePrimarySubgraph({ database, config }, logger),
      serveNodeSubgraph({ database, config }, logger),
    ]);
    const gateway = await serveGateway([
      { name: "primary-network", url: primary.url },
      { name: "node", url: served.url },
    ]);
    open.push(gateway, served, primary);
    return asking(gateway.url);
  }
  const primary = await createPrimaryNetworkSubgraph({ config, database, logger });
  const own = await createNodeSubgraph({ config, database, logger, probes: {} });
  const gateway = await serveGateway([primary, own]);
  open.push(gateway, own);
  return asking(gateway.url);
}

const asking = (url: string) => async (query: string) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
  return (await response.json()) as Answer;
};

const PEER = "peer { nodeId version observedUptime lastSent lastReceived benched trackedSubnets }";
const LISTS = {
  Validator: `{ list: validators(network: FUJI, first: 100) { validators: nodes { nodeId ${PEER} } } }`,
  L1Validator: `{ list: l1Validators(network: FUJI, first: 100, filter: { statuses: [ACTIVE, INACTIVE, REMOVED] }) { validators: nodes { nodeId ${PEER} } } }`,
} as const;

/** The recorded node's peers by node id. */
function recordedPeers(): Map<string, Record<string, unknown>> {
  const { peers } = node.recorded("info.peers") as { peers: Record<string, unknown>[] };
  const members = ["version", "lastSent", "lastReceived", "benched", "trackedSubnets"];
  const rows = peers.map((peer) => ({
    nodeId: peer["nodeID"],
    observedUptime: Number(peer["observedUptime"]),
    ...Object.fromEntries(members.map((name) => [name, peer[name]])),
  }));
  return new Map(rows.map((peer) => [String(peer.nodeId), peer]));
}

describe.each<Where>(["in this process", "by URL"])("the peers of validators, with the subgraphs %s", (where) => {
  it.each(["Validator", "L1Validator"] as const)(
    "are those of the node for each %s, with one request a page",
    async (type) => {
      const ask = await serve(where);
      const before = node.asked("info.peers");
      const { data, errors } = await ask(LISTS[type]);
      expect(errors).toBeUndefined();
      const peers = recordedPeers();
      const { validators } = data.list;
      expect(validators.map(({ peer }) => peer)).toEqual(validators.map(({ nodeId }) => peers.get(nodeId) ?? null));
      expect(validators.length).toBeGreaterThan(2);
      if (type === "Validator")
        expect(new Set(validators.map(({ peer }) => peer === null))).toEqual(new Set([true, false]));
      expect(node.asked("info.peers") - before).toBe(1);
    },
  );

  it("are null without an error while the node is down, and are returned when it runs again", async () => {
    const ask = await serve(where);
    node.faults.cutsConnections = true;
    const cut = await ask(LISTS.Validator);
    expect(cut.errors).toBeUndefined();
    expect(new Set(cut.data.list.validators.map(({ peer }) => peer))).toEqual(new Set([null]));
    await node.heal();
    await new Promise((done) => setTimeout(done, 1_050));
    const { data } = await ask(LISTS.Validator);
    expect(data.list.validators.filter(({ peer }) => peer !== null).length).toBeGreaterThan(0);
  });

  it("are null without an error if no node is configured", async () => {
    const ask = await serve(where, { askNode: false });
    const before = node.traffic.requests;
    const { data, errors } = await ask(LISTS.Validator);
    expect(errors).toBeUndefined();
    expect(new Set(data.list.validators.map(({ peer }) => peer))).toEqual(new Set([null]));
    expect(node.traffic.requests).toBe(before);
  });
});
