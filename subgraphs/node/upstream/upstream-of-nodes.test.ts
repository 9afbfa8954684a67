import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { NETWORK_ID, type ReplayedNode, startReplayedNode } from "../../../test/support/node/replayed-node.ts";
import { nodeTargets } from "./target.ts";
import { createUpstreamOfNodes } from "./upstream-of-nodes.ts";

let first: ReplayedNode;
let second: ReplayedNode;
beforeAll(async () => {
  first = await startReplayedNode();
  second = await startReplayedNode();
});
afterEach(() => first.heal());
afterAll(async () => {
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

function openUpstream(quarantined: readonly string[] = []) {
  const nodeUrls = [{ url: first.url, headers: { "x-key": "one" } }, second.url];
  const config = testConfig({
    primaryNetworks: [{ network: "fuji", networkId: NETWORK_ID, nodeUrls, genesisFile: "genesis.json" }],
    nodeInterface: { nodeHeaders: { "x-key": "of nodeInterface" } },
  });
  const nodes = nodeTargets(config, "fuji");
  expect(nodes?.map(({ nodeHeaders }) => nodeHeaders)).toEqual([{ "x-key": "one" }, {}]);
  return createUpstreamOfNodes({
    nodes: nodes as NonNullable<typeof nodes>,
    networkId: NETWORK_ID,
    requestTimeoutMs: 1_000,
    logger: createLogger("silent"),
    quarantined: async () => new Set(quarantined),
  });
}

describe("requests of the API to a network with several nodes", () => {
  it("go to the next node if the first does not answer, except those about the first node itself", async () => {
    await using upstream = openUpstream();
    await first.down();
    expect(await upstream.call("info.getNetworkID")).toEqual(second.recorded("info.getNetworkID"));
    for (const method of ["info.getNodeID", "info.peers", "info.uptime"])
      await expect(upstream.call(method)).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    await first.up();
    expect(await upstream.call("info.upgrades")).toEqual(first.recorded("info.upgrades"));
  });

  it("do not go to a quarantined node, and return the refusal of the node that was asked", async () => {
    await using upstream = openUpstream(["node 2"]);
    await expect(upstream.call("info.getBlockchainID", { alias: "nope" })).rejects.toMatchObject({
      code: "NODE_REFUSED",
    });
    await first.down();
    await expect(upstream.call("info.getBlockchainID", { alias: "P" })).rejects.toMatchObject({
      code: "UPSTREAM_FAILED",
    });
    await using without = openUpstream(["node 1", "node 2"]);
    await expect(without.call("info.getNetworkID")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
