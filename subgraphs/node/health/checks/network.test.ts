import { startFaultyNode } from "../../../../test/support/node/faulty-node.ts";
import { type HealthNode, recordedAnswer, startHealthNode } from "../../../../test/support/node/health-node.ts";
import { startTcpProxy } from "../../../../test/support/node/tcp-proxy.ts";
import { createHealthClock } from "../runner/clock.ts";
import { createHealthClient } from "../upstream/health-client.ts";
import type { NodeHealth } from "../upstream/node-report.ts";
import { createRequestStatistics } from "../upstream/request-statistics.ts";
import { networkCheck } from "./network.ts";

const { signal } = new AbortController();
let node: HealthNode;

beforeEach(async () => {
  node = await startHealthNode();
});
afterEach(() => node[Symbol.asyncDispose]());

/** The check over the node at `nodeUrl`, and what it merged last. */
function checking(nodeUrl: string, lagging: () => Promise<string[]> = async () => [], timeLimitMs = 300) {
  const requests = createRequestStatistics(createHealthClock());
  const asked = createHealthClient({
    nodeUrl: `${nodeUrl}/`,
    nodeHeaders: { "x-key": "k" },
    timeLimitMs,
    requests,
  });
  const state = { merged: undefined as NodeHealth | null | undefined };
  const merge = (health: NodeHealth | null) => {
    state.merged = health;
  };
  const check = networkCheck({ node: asked, networkId: 12345, requests, merge, lagging, maxLagBlocks: 100 });
  return { state, run: () => check(signal), [Symbol.asyncDispose]: () => asked[Symbol.asyncDispose]() };
}

const unhealthy = (...reasons: string[]) => `network layer is unhealthy reason: ${reasons.join(", ")}`;
const DURATION = expect.stringMatching(/^\d+\.?\d*(ns|µs|ms|s)$/);

describe("the check network", () => {
  it("passes with a node that answers, reports its peers, and merges the node's health", async () => {
    await using network = checking(node.url);
    const { message, error } = await network.run();
    expect(error).toBeUndefined();
    expect(message).toEqual({
      connectedPeers: 4,
      sendFailRate: 0,
      timeSinceLastMsgReceived: DURATION,
      timeSinceLastMsgSent: DURATION,
    });
    expect(Object.keys(network.state.merged?.checks ?? {})).toEqual(
      Object.keys((JSON.parse(node.health?.text ?? "") as NodeHealth).checks),
    );
    expect(node.headers["x-key"]).toBe("k");
  });

  it("accepts 503 as the answer of an unhealthy node", async () => {
    node.health = recordedAnswer("health-outage-2s", false);
    await using network = checking(node.url);
    expect(node.health.status).toBe(503);
    expect((await network.run()).error).toBeUndefined();
    expect(network.state.merged?.healthy).toBe(false);
  });

  it("passes with a node without a health API, and requests its peers only then", async () => {
    await using network = checking(node.url);
    await network.run();
    await network.run();
    expect(node.asked.filter((what) => what === "info.peers")).toHaveLength(1);
    node.health = null;
    await network.run();
    const { message, error } = await network.run();
    expect([error, network.state.merged]).toEqual([undefined, null]);
    expect(message).toMatchObject({ connectedPeers: 7 });
    node.numPeers = null;
    expect((await network.run()).message).toMatchObject({ connectedPeers: 0 });
  });

  it("fails with a node of another network, and does not merge its health", async () => {
    await using network = checking(node.url);
    await network.run();
    node.networkId = "5";
    expect((await network.run()).error).toBe(unhealthy("the upstream node belongs to network 5, not to 12345"));
    expect(network.state.merged).toBeNull();
    node.networkId = "12345";
    expect((await network.run()).error).toBeUndefined();
    expect(network.state.merged).not.toBeNull();
  });

  it.each([
    [200, "<html>"],
    [200, '{"checks":{"P":{"error":1}},"healthy":true}'],
    [200, '{"healthy":true}'],
    [500, "{}"],
    [503, "no healthy upstream"],
    [301, ""],
  ])("fails with a node whose health is HTTP %s and %j, and recovers", async (status, text) => {
    await using network = checking(node.url);
    const whole = node.health;
    node.health = { status, text };
    expect((await network.run()).error).toBe(
      unhealthy(`the upstream node answered /ext/health with HTTP ${status} and no health report`),
    );
    expect(network.state.merged).toBeNull();
    node.health = whole;
    expect((await network.run()).error).toBeUndefined();
  });

  it("fails with the reason if a node's answer is too long", async () => {
    await using network = checking(node.url, async () => [], 10_000);
    node.health = { status: 200, text: "x".repeat((16 << 20) + 1) };
    expect((await network.run()).error).toBe(unhealthy("the upstream node sent more than 16777216 bytes"));
  });

  it("fails while the connection to the node is cut, and counts failed requests", async () => {
    await using proxy = await startTcpProxy(node.url);
    await using network = checking(proxy.through(node.url));
    await network.run();
    proxy.cut();
    const { message, error } = await network.run();
    expect(error).toBe(unhealthy("the upstream node cannot be reached"));
    expect(message).toMatchObject({ connectedPeers: 0, sendFailRate: expect.any(Number) });
    const { sendFailRate } = message as { sendFailRate: number };
    expect([sendFailRate > 0, sendFailRate < 1, network.state.merged]).toEqual([true, true, null]);
    expect(JSON.stringify({ message, error })).not.toMatch(/127\.0\.0\.1|http:/);
    proxy.restore();
    expect((await network.run()).error).toBeUndefined();
  });

  it("fails while the node is down or too slow", async () => {
    await using faulty = await startFaultyNode({ upstream: node.url });
    await using network = checking(faulty.url);
    await network.run();
    await faulty.down();
    expect((await network.run()).error).toBe(unhealthy("the upstream node cannot be reached"));
    await faulty.up();
    faulty.faults.delayMs = 1_000;
    expect((await network.run()).error).toBe(unhealthy("the upstream node did not answer within 300ms"));
    await faulty.heal();
    faulty.faults.garbage = "html";
    expect((await network.run()).error).toMatch(/^network layer is unhealthy reason: the upstream node answered /);
    await faulty.heal();
    expect((await network.run()).error).toBeUndefined();
  });

  it("fails if chains are too far behind, in addition to other reasons", async () => {
    await using network = checking(node.url, async () => ["P", "C"]);
    const behind = ["P is more than 100 blocks behind its node", "C is more than 100 blocks behind its node"];
    expect((await network.run()).error).toBe(unhealthy(...behind));
    node.networkId = "1";
    const error = unhealthy("the upstream node belongs to network 1, not to 12345", ...behind);
    expect((await network.run()).error).toBe(error);
  });

  it("ignores an unavailable database, and passes without a node", async () => {
    const requests = createRequestStatistics(createHealthClock());
    const check = networkCheck({
      node: null,
      networkId: 1,
      requests,
      merge: () => {},
      maxLagBlocks: 100,
      lagging: () => Promise.reject(new Error("the database is away")),
    });
    expect(await check(signal)).toEqual({ message: { connectedPeers: 0, sendFailRate: 0 } });
  });
});

describe("the statistics of requests to the upstream node", () => {
  it("cover the last minute, with the times of the last request and the last answer", async () => {
    let nowNs = 1_000_000_000_000n;
    const requests = createRequestStatistics({ nowNs: () => nowNs });
    expect(requests.summary()).toEqual({ sendFailRate: 0 });
    const failing = () => requests.record(() => Promise.reject(new Error("away"))).catch(() => {});
    await requests.record(async () => {});
    nowNs += 1_500_000_000n;
    for (let i = 0; i < 3; i++) await failing();
    const times = { timeSinceLastMsgReceived: "1.5s", timeSinceLastMsgSent: "0s" };
    expect(requests.summary()).toEqual({ sendFailRate: 0.75, ...times });
    nowNs += 58_500_000_000n;
    expect(requests.summary()).toEqual({
      sendFailRate: 1,
      timeSinceLastMsgReceived: "1m0s",
      timeSinceLastMsgSent: "58.5s",
    });
    nowNs += 2_000_000_000n;
    expect(requests.summary()).toMatchObject({ sendFailRate: 0 });
  });
});
