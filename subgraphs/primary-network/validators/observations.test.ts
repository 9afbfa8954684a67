import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { createLogger } from "../../../core/observability/logger.ts";
import { servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { type Listener, listen } from "../../../test/support/node/listen.ts";
import { recordingFolder, resultsIn } from "../../../test/support/recorded/primary-vectors.ts";
import { createObservations } from "./observations.ts";

const ALPHA = recordingFolder("alpha");
/** A peer of the recorded node, a validator that was never connected, and a node that does not validate. */
const PEER = "NodeID-4gmbptn1Kkfu9nmFYJvhVSUvQgxbBAedM";
const ABSENT = "NodeID-BRtFCaJVS53AxM5Twn6W32VAEbtXQPokH";
const STRANGER = "NodeID-7t7d4dzxxTvTREYXDqvg6SjFZ7L5pKKGv";

interface Call {
  readonly path: string;
  readonly method: string;
  readonly nodeIds: readonly string[];
  readonly key: string | undefined;
}

/** Answers as the recorded node did, benches the peer on two chains, and records its requests. */
async function startNode(): Promise<Listener & { readonly calls: Call[] }> {
  const calls: Call[] = [];
  const recorded = (file: string, method: string) =>
    resultsIn(ALPHA, file, method).filter(({ params }) => !("nodeIDs" in params));
  const current = recorded("snapshots/07-end", "platform.getCurrentValidators").find(
    ({ params }) => params["subnetID"] === "11111111111111111111111111111111LpoYY",
  );
  const answers: Readonly<Record<string, string>> = {
    "platform.getCurrentValidators": current?.text ?? "",
    "info.peers": recorded("info", "info.peers")[0]?.text.replaceAll('"benched":[]', '"benched":["P","C"]') ?? "",
  };
  const listener = await listen(async (request: IncomingMessage, response) => {
    const { method, params } = (await json(request)) as { method: string; params: { nodeIDs: string[] } };
    const key = request.headers["x-key"] as string | undefined;
    calls.push({ path: request.url ?? "", method, nodeIds: params.nodeIDs, key });
    const result = JSON.parse(answers[method] ?? "null") as Record<string, { nodeID: string }[]>;
    for (const [name, some] of Object.entries(result))
      if (Array.isArray(some)) result[name] = some.filter(({ nodeID }) => params.nodeIDs.includes(nodeID));
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  });
  return { ...listener, calls };
}

function observationsOf(nodeUrl: string, nowMs?: () => number) {
  const primaryNetworks = servedNetworks(ALPHA).map((one) => ({ ...one, nodeUrl, nodeHeaders: { "x-key": "mine" } }));
  return createObservations({ primaryNetworks, logger: createLogger("silent"), ...(nowMs && { nowMs }) });
}

describe("observations of a validator by the indexed node", () => {
  it("come from the first of several nodes that answers and is not quarantined", async () => {
    await using node = await startNode();
    await using wrong = await startNode();
    const nodeUrls = ["http://127.0.0.1:1", wrong.url, node.url].map((url) => ({ url, headers: {} }));
    const primaryNetworks = servedNetworks(ALPHA).map(({ nodeUrl: _, ...one }) => ({ ...one, nodeUrls }));
    const observations = createObservations({
      primaryNetworks,
      logger: createLogger("silent"),
      quarantined: async () => new Set(["node 2"]),
    });
    expect(await observations.of("fuji", PEER)).toMatchObject({ uptimePercent: 100, isConnected: true });
    expect([wrong.calls.length, node.calls.length]).toEqual([0, 2]);
  });

  it("E12 are its uptime, its connection, and the chains on which it is benched", async () => {
    await using node = await startNode();
    const observations = observationsOf(node.url);
    const benched = new Set(["P", "C"]);
    expect(await observations.of("fuji", PEER)).toEqual({ uptimePercent: 100, isConnected: true, benched });
    expect(await observations.of("fuji", ABSENT)).toEqual({
      uptimePercent: 0,
      isConnected: false,
      benched: new Set(),
    });
    expect([await observations.of("fuji", STRANGER), await observations.of("mainnet", PEER)]).toEqual([null, null]);
  });

  it("E12 are requested without delegators, with the configured headers, at any base URL", async () => {
    await using node = await startNode();
    await observationsOf(`${node.url}/`).of("fuji", PEER);
    expect(node.calls.map(({ path, method, key }) => [path, method, key]).sort()).toEqual([
      ["/ext/bc/P", "platform.getCurrentValidators", "mine"],
      ["/ext/info", "info.peers", "mine"],
    ]);
    const [{ nodeIds } = { nodeIds: [] }] = node.calls.filter(({ path }) => path === "/ext/bc/P");
    expect(new Set(nodeIds).size).toBe(2);
    expect(nodeIds).toContain(PEER);
  });

  it("E12 are requested once within 30 seconds, then again", async () => {
    await using node = await startNode();
    let nowMs = 0;
    const observations = observationsOf(node.url, () => nowMs);
    await Promise.all([observations.of("fuji", PEER), observations.of("fuji", PEER)]);
    nowMs = 29_999;
    await observations.of("fuji", PEER);
    expect(node.calls).toHaveLength(2);
    nowMs = 30_000;
    await observations.of("fuji", PEER);
    expect(node.calls).toHaveLength(4);
  });

  it.each([
    ["is unavailable", null],
    ["answers HTTP 500", [500, "{}"]],
    ["answers no JSON", [200, "<html>"]],
    ["answers an error", [200, '{"error":{"code":-32000,"message":"not now"}}']],
    ["answers something else", [200, '{"result":{"validators":7,"peers":[]}}']],
  ] as const)("E12 are null while the node %s", async (_, answer) => {
    await using node = await listen((_request, response) => {
      const [status, text] = answer ?? [500, ""];
      response.writeHead(status).end(text);
    });
    const observations = observationsOf(answer ? node.url : "http://127.0.0.1:1");
    expect(await observations.of("fuji", PEER)).toBeNull();
  });

  it("E12 are null if the node takes longer than 2 seconds", async () => {
    await using node = await listen(() => {});
    // The node never answers, so a response shows that the limit holds.
    expect(await observationsOf(node.url).of("fuji", PEER)).toBeNull();
  });

  it("E12 appear in responses as 0 or 100 percent, and as 0 for a node without observations", async () => {
    await using node = await startNode();
    const primaryNetworks = servedNetworks(ALPHA).map((one) => ({ ...one, nodeUrl: node.url }));
    await using opened = await openPrimary(ALPHA, { primaryNetworks });
    const fields = `validationStatus uptimePerformance validatorHealth { reachabilityPercent benchedPChainRequestsPercent
      benchedXChainRequestsPercent benchedCChainRequestsPercent }`;
    const observed = async (nodeId: string) =>
      (
        await opened.ask<{ validators: { validators: unknown[] } }>(
          `{ validators(network: FUJI, filter: { nodeIds: "${nodeId}", status: ACTIVE }) { validators: nodes { ${fields} } } }`,
        )
      ).validators.validators[0];
    const health = (...percents: readonly number[]) => ({
      reachabilityPercent: percents[0],
      benchedPChainRequestsPercent: percents[1],
      benchedXChainRequestsPercent: percents[2],
      benchedCChainRequestsPercent: percents[3],
    });
    expect(await observed(PEER)).toEqual({
      validationStatus: "ACTIVE",
      uptimePerformance: 100,
      validatorHealth: health(100, 100, 0, 100),
    });
    expect(await observed(ABSENT)).toEqual({
      validationStatus: "ACTIVE",
      uptimePerformance: 0,
      validatorHealth: health(0, 0, 0, 0),
    });
  });
});
