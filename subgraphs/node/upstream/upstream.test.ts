import { setTimeout as sleep } from "node:timers/promises";
import { createLogger, type Logger } from "../../../core/observability/logger.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import { NETWORK_ID, type ReplayedNode, startReplayedNode } from "../../../test/support/node/replayed-node.ts";
import { startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

let node: ReplayedNode;
const open: AsyncDisposable[] = [];
beforeAll(async () => {
  node = await startReplayedNode();
});
afterEach(async () => {
  await node.heal();
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});
afterAll(() => node[Symbol.asyncDispose]());

function upstreamOf(
  options: {
    readonly nodeUrl?: string;
    readonly networkId?: number;
    readonly requestTimeoutMs?: number;
    readonly logger?: Logger;
  } = {},
): Upstream {
  const defaults = { nodeUrl: node.url, nodeHeaders: {}, networkId: NETWORK_ID, requestTimeoutMs: 2_000 };
  const upstream = createUpstream({ ...defaults, logger: createLogger("silent"), ...options });
  open.push(upstream);
  return upstream;
}

const failing = (message: unknown, code = "UPSTREAM_FAILED") => expect.objectContaining({ code, message });

describe("the client of the upstream node", () => {
  it("returns the node's results, and its refusals with its message", async () => {
    const upstream = upstreamOf();
    expect(await upstream.call("info.uptime")).toEqual(node.recorded("info.uptime"));
    expect(await upstream.call("health.health")).toMatchObject({ healthy: true });
    await expect(upstream.call("info.getBlockchainID", { alias: "nope" })).rejects.toEqual(
      failing("there is no ID with alias: nope", "NODE_REFUSED"),
    );
  });

  it("reports within the time limit that the node does not answer, without its address", async () => {
    const upstream = upstreamOf({ requestTimeoutMs: 200 });
    node.faults.delayMs = 1_000;
    await expect(upstream.call("info.uptime")).rejects.toEqual(failing("the node did not answer within 200 ms"));
    await node.heal();
    await node.down();
    await sleep(1_050);
    await expect(upstream.call("info.uptime")).rejects.toEqual(failing("the node did not answer (ECONNREFUSED)"));
  });

  it("recovers when the node does, and logs the beginning and the end of the outage", async () => {
    const { logger, lines } = createLogLines("info");
    const upstream = upstreamOf({ logger });
    await node.down();
    for (let i = 0; i < 3; i++) await expect(upstream.call("info.uptime")).rejects.toEqual(failing(expect.any(String)));
    await node.up();
    await sleep(1_050);
    expect(await upstream.call("info.uptime")).toEqual(node.recorded("info.uptime"));
    expect(lines).toMatchObject([
      {
        networkId: NETWORK_ID,
        msg: expect.stringMatching(/^the upstream node fails and is tried again: the node did not/),
      },
      { networkId: NETWORK_ID, failures: 3 },
    ]);
  });

  it("sends one request a second to a node that is down, for any number of callers", async () => {
    const upstream = upstreamOf();
    node.faults.status = { code: 503 };
    const before = node.traffic.requests;
    const asking = Array.from({ length: 50 }, () => upstream.call("info.uptime"));
    const outcomes = await Promise.allSettled(asking);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    await expect(upstream.call("info.peers")).rejects.toEqual(
      failing("the node answered HTTP 503 to info.getNetworkID"),
    );
    expect(node.traffic.requests - before).toBe(1);
  });

  it.each([
    ["no JSON", "<html>", "the node answered info.uptime with a body that is not JSON"],
    ["a list", [], "the node answered info.uptime with neither a result nor an error"],
    ["null", "null", "the node answered info.uptime with neither a result nor an error"],
    ["no result", { jsonrpc: "2.0", id: 1 }, "the node answered info.uptime with neither a result nor an error"],
    [
      "an error without text",
      { error: { code: 1 } },
      "the node answered info.uptime with neither a result nor an error",
    ],
    ["nothing", "", "the node answered info.uptime with a body that is not JSON"],
  ])("refuses an answer that is %s", async (_, body, message) => {
    await using scripted = await startScriptedNode(([call]) => ({
      body: call?.method === "info.getNetworkID" ? { result: { networkID: "7" } } : body,
    }));
    const upstream = upstreamOf({ nodeUrl: scripted.url, networkId: 7 });
    await expect(upstream.call("info.uptime")).rejects.toEqual(failing(message));
  });

  it("refuses an answer that is too large", async () => {
    await using scripted = await startScriptedNode(() => ({ body: "x".repeat(17 << 20) }));
    const upstream = upstreamOf({ nodeUrl: scripted.url });
    await expect(upstream.call("info.uptime")).rejects.toEqual(failing("the node sent more than 16777216 bytes"));
  });

  it("refuses a node of another network for every method", async () => {
    const upstream = upstreamOf({ networkId: 5 });
    const wrong = failing("the node belongs to network 76001, but network 5 is configured");
    await expect(upstream.call("info.uptime")).rejects.toEqual(wrong);
    expect(node.asked("info.peers")).toBe(0);
    await expect(upstream.call("info.peers")).rejects.toEqual(wrong);
  });

  it("checks the network again after the node was unavailable", async () => {
    let networkID = "7";
    let isAway = false;
    await using scripted = await startScriptedNode(([call]) => ({
      status: isAway ? 502 : 200,
      body: { result: call?.method === "info.getNetworkID" ? { networkID } : { ip: "" } },
    }));
    const upstream = upstreamOf({ nodeUrl: scripted.url, networkId: 7 });
    expect(await upstream.call("info.getNodeIP")).toEqual({ ip: "" });
    isAway = true;
    await expect(upstream.call("info.getNodeIP")).rejects.toEqual(
      failing("the node answered HTTP 502 to info.getNodeIP"),
    );
    isAway = false;
    networkID = "8";
    await expect(upstream.call("info.getNodeIP")).rejects.toEqual(
      failing("the node belongs to network 8, but network 7 is configured"),
    );
  });

  it("refuses requests above the limit of waiting ones, and accepts later ones", async () => {
    const upstream = upstreamOf({ requestTimeoutMs: 30_000 });
    await upstream.call("info.getNodeIP");
    node.faults.delayMs = 20;
    const ask = (alias: number) => upstream.call("info.getBlockchainID", { alias: `x${alias}` });
    const outcomes = await Promise.allSettled(Array.from({ length: 300 }, (_, alias) => ask(alias)));
    const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "none"));
    expect(codes.filter((code) => code === "NODE_REFUSED")).toHaveLength(256);
    expect(codes.filter((code) => code === "UNAVAILABLE")).toHaveLength(44);
    node.faults.delayMs = 0;
    expect(await upstream.call("info.uptime")).toEqual(node.recorded("info.uptime"));
  });

  it("sends its headers with every request", async () => {
    await using scripted = await startScriptedNode(() => ({ body: { result: { networkID: "7" } } }));
    const headers = { "x-key": "of-the-node" };
    await using upstream = createUpstream({
      nodeUrl: `${scripted.url}//`,
      nodeHeaders: headers,
      networkId: 7,
      requestTimeoutMs: 1_000,
      logger: createLogger("silent"),
    });
    await upstream.call("info.getNetworkID");
    expect(scripted.headers).toEqual([expect.objectContaining(headers), expect.objectContaining(headers)]);
  });
});
