import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { NETWORK_ID, type ReplayedNode, startReplayedNode } from "../../../test/support/node/replayed-node.ts";
import { createAnswerCache } from "../upstream/answer-cache.ts";
import { createUpstream, type Upstream } from "../upstream/upstream.ts";
import type { Info } from "./info.ts";
import { createNodeInfo } from "./node-info.ts";

const MINUTE = 60_000;
const PEERS = ["NodeID-4gmbptn1Kkfu9nmFYJvhVSUvQgxbBAedM", "NodeID-ABYMvAcKTokQNs5Mb4fUpjtxRYKSVg75x"] as const;
const NOBODY = "NodeID-111111111111111111116DBWJs";

let node: ReplayedNode;
let upstream: Upstream;
let info: Info;
let clock: { ms: number };

beforeAll(async () => {
  node = await startReplayedNode();
});
beforeEach(() => {
  clock = { ms: 0 };
  const logger = createLogger("silent");
  upstream = createUpstream({
    nodeUrl: node.url,
    nodeHeaders: {},
    networkId: NETWORK_ID,
    requestTimeoutMs: 5_000,
    logger,
  });
  info = createNodeInfo(
    upstream,
    createAnswerCache(() => clock.ms),
  );
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
  await node.heal();
});
afterAll(() => node[Symbol.asyncDispose]());

/** Number of calls of a method while `run` runs. */
async function countOf(method: string, run: () => Promise<unknown>): Promise<number> {
  const before = node.asked(method);
  await run();
  return node.asked(method) - before;
}

type Kept = readonly [method: string, ask: (info: Info) => Promise<unknown>, freshMs: number];
const CACHE_POLICIES: readonly Kept[] = [
  ["info.getNetworkName", (one) => one.networkName(), Number.POSITIVE_INFINITY],
  ["info.getBlockchainID", (one) => one.blockchainId("X", SERVICE_WORK), Number.POSITIVE_INFINITY],
  ["info.isBootstrapped", (one) => one.isBootstrapped("P", SERVICE_WORK), 3_000],
  ["info.getNodeID", (one) => one.identity(), 2 * MINUTE],
  ["info.getNodeVersion", (one) => one.version(), 2 * MINUTE],
  ["info.getVMs", (one) => one.vms(), 2 * MINUTE],
  ["info.getTxFee", (one) => one.txFees(), 2 * MINUTE],
  ["info.upgrades", (one) => one.upgrades(SERVICE_WORK), 2 * MINUTE],
  ["info.getNodeIP", (one) => one.ip(), 5_000],
  ["info.acps", (one) => one.acps(), 5_000],
  ["info.peers", (one) => one.peers([]), 2_000],
  ["info.uptime", (one) => one.uptime(), 2_000],
];

describe("the information of a node", () => {
  it.each(CACHE_POLICIES)(
    "is requested once for concurrent callers, and cached for its time: %s",
    async (method, ask, freshMs) => {
      expect(await countOf(method, () => Promise.all(Array.from({ length: 10 }, () => ask(info))))).toBe(1);
      clock.ms = Math.min(freshMs, 1e12) - 1;
      expect(await countOf(method, () => ask(info))).toBe(0);
      clock.ms = freshMs === Number.POSITIVE_INFINITY ? 1e13 : freshMs;
      expect(await countOf(method, () => ask(info))).toBe(freshMs === Number.POSITIVE_INFINITY ? 0 : 1);
    },
  );

  it.each([
    [
      "info.getBlockchainID",
      (one: Info) => one.blockchainId("nope", SERVICE_WORK),
      "there is no ID with alias: nope",
      5_000,
    ],
    [
      "info.isBootstrapped",
      (one: Info) => one.isBootstrapped("nope", SERVICE_WORK),
      "there is no chain with alias/ID 'nope'",
      1_000,
    ],
  ])("caches a refusal: %s", async (method, ask, message, keptMs) => {
    const refused = () => expect(ask(info)).rejects.toMatchObject({ code: "NODE_REFUSED", message });
    expect(await countOf(method, refused)).toBe(1);
    clock.ms = keptMs - 1;
    expect(await countOf(method, refused)).toBe(0);
    clock.ms = keptMs;
    expect(await countOf(method, refused)).toBe(1);
  });

  it("reports within 3 seconds that a restarted node is not bootstrapped", async () => {
    let result = { isBootstrapped: true };
    const restarted = createNodeInfo(
      { call: async () => result },
      createAnswerCache(() => clock.ms),
    );
    expect(await restarted.isBootstrapped("X", SERVICE_WORK)).toBe(true);
    result = { isBootstrapped: false };
    clock.ms = 3_000;
    expect(await restarted.isBootstrapped("X", SERVICE_WORK)).toBe(false);
  });

  it("requests the same peers once for any order of node ids, and answers in the caller's order", async () => {
    const [one, other] = PEERS;
    const ids = async (nodeIds: readonly string[]) => (await info.peers(nodeIds)).map(({ nodeId }) => nodeId);
    expect(
      await countOf("info.peers", async () => {
        expect(await ids([one, other])).toEqual([one, other]);
        expect(await ids([other, one])).toEqual([other, one]);
        expect(await ids([other, other, one])).toEqual([other, other, one]);
      }),
    ).toBe(1);
    expect(await ids([NOBODY, one])).toEqual([one]);
    expect(await ids([NOBODY])).toEqual([]);
  });

  it.each(["html", "truncated", "empty"] as const)("refuses invalid answers (%s), and recovers", async (garbage) => {
    await info.networkId();
    node.faults.garbage = garbage;
    await expect(info.uptime()).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    node.faults.garbage = null;
    await expect(info.uptime()).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
    clock.ms = 1_000;
    expect(await info.uptime()).toEqual(node.recorded("info.uptime"));
  });
});
