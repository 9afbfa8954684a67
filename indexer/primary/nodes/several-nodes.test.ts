import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { type PrimaryIndexing, startPrimaryIndexing } from "../../../test/support/indexed/primary-indexing.ts";
import { dumpPrimary, type PrimaryTables } from "../../../test/support/indexed/primary-tables.ts";
import { replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import type { Fault } from "../../../test/support/node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { PRIMARY_FAULTS } from "../../../test/support/node/primary-faults.ts";
import { factsOf, recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import type { NodeStatus } from "../../shared/progress.ts";

const { wrongParent, tamperedContainer, answers } = PRIMARY_FAULTS;
const HEADS = { P: 80, X: 60 };
const WITHOUT_INDEX = /^\/ext\/index/;

let upstream: ReplayNode;
let whole: PrimaryTables;
let wholeByHeight: PrimaryTables;
beforeAll(async () => {
  upstream = await startReplayNode({ recording: openRecording(ALPHA) });
  for (const [chain, height] of Object.entries({ ...HEADS, C: 20 })) upstream.setHead(chain, height);
  const rowsOf = async (network: Readonly<Record<string, unknown>>) => {
    await using indexing = await startPrimaryIndexing({ folder: ALPHA, node: upstream, withCChain: false, network });
    await indexing.untilHeads(HEADS);
    return await dumpPrimary(indexing.database.pool, indexing.networkId);
  };
  whole = await rowsOf({ cChainProposers: false });
  wholeByHeight = await rowsOf({ index: "off" });
});
afterAll(() => upstream[Symbol.asyncDispose]());

interface Scene extends AsyncDisposable {
  readonly nodes: readonly [FaultyNode, FaultyNode, FaultyNode];
  start(count: 2 | 3, network?: object): Promise<PrimaryIndexing>;
}

async function openScene(node = upstream, folder = ALPHA): Promise<Scene> {
  const start = () => startFaultyNode({ upstream: node.url });
  const nodes = [await start(), await start(), await start()] as const;
  return {
    nodes,
    start: (count, network) =>
      startPrimaryIndexing({
        folder,
        node,
        withCChain: false,
        network: { nodeUrl: undefined, nodeUrls: nodes.slice(0, count).map(({ url }) => url), ...network },
        indexing: { requestTimeoutMs: 2_000, batchBlocks: 20 },
      }),
    async [Symbol.asyncDispose]() {
      for (const one of nodes) await one[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the nodes have these states for a chain, in their order. Returns what is known of them. */
async function untilStates(
  { database }: PrimaryIndexing,
  chain: string,
  ...states: readonly string[]
): Promise<readonly NodeStatus[]> {
  const text = "SELECT nodes FROM primary_progress WHERE chain = $1";
  const read = async () => (await database.pool.query<{ nodes: NodeStatus[] }>(text, [chain])).rows[0]?.nodes ?? [];
  return await until(read, (nodes) => nodes.map(({ state }) => state).join() === states.join(), states.join());
}

async function expectRows({ database, networkId }: PrimaryIndexing, expected: PrimaryTables): Promise<void> {
  expect(await dumpPrimary(database.pool, networkId)).toEqual(expected);
}

/** Runs `act` once, when the node is asked for the `count`th time. The answer is lost if `act` stops the node. */
function atCall(asked: string, count: number, act: () => void): Fault {
  let left = count;
  return {
    answer: (method, _params, answer) => {
      if (method === asked && --left === 0) act();
      return answer;
    },
  };
}

const callsOf = ({ traffic }: FaultyNode, method: string): number => traffic.calls.get(method) ?? 0;

describe("several nodes of a primary network", () => {
  it("each return a part of the blocks by height, with the rows of a single node", async () => {
    await using scene = await openScene();
    await using indexing = await scene.start(3, { index: "off" });
    await indexing.untilHeads(HEADS);
    await expectRows(indexing, wholeByHeight);
    for (const node of scene.nodes) expect(callsOf(node, "platform.getBlockByHeight")).toBeGreaterThan(5);
    expect(await untilStates(indexing, "P", "USABLE", "USABLE", "USABLE")).toMatchObject([
      { name: "node 1", head: HEADS.P, reason: null },
      { name: "node 2", head: HEADS.P, reason: null },
      { name: "node 3", head: HEADS.P, reason: null },
    ]);
  });

  it.each([
    ["by height", "off", "platform.getBlockByHeight", 30],
    ["from the index", "on", "index.getContainerRange", 5],
  ] as const)("go on %s if one of them fails in the middle", async (_how, index, method, count) => {
    await using scene = await openScene();
    const [first] = scene.nodes;
    first.faults.wrongAnswers = [atCall(method, count, () => void first.down())];
    await using indexing = await scene.start(2, { index });
    await indexing.untilHeads(HEADS);
    await expectRows(indexing, index === "off" ? wholeByHeight : whole);
    const [down] = await untilStates(indexing, "P", "UNAVAILABLE", "USABLE");
    expect(down?.reason).toMatch(/^the node gave no answer/);
    await first.up();
    await untilStates(indexing, "P", "USABLE", "USABLE");
  });

  it("without the index of blocks are not asked for it, and one that is behind is not asked for what it lacks", async () => {
    await using behind = await startReplayNode({ recording: openRecording(ALPHA) });
    for (const chain of ["P", "X", "C"]) behind.setHead(chain, 15);
    await using scene = await openScene();
    scene.nodes[0].faults.missingPaths = WITHOUT_INDEX;
    const nodeUrls = [scene.nodes[0].url, behind.url, { url: scene.nodes[1].url, name: "third" }];
    await using indexing = await scene.start(2, { nodeUrls });
    await indexing.untilHeads(HEADS);
    await expectRows(indexing, whole);
    expect(await untilStates(indexing, "P", "USABLE", "USABLE", "USABLE")).toMatchObject([
      { head: HEADS.P },
      { head: 15 },
      { name: "third", head: HEADS.P },
    ]);
  });

  it("return blocks by height while none with the index can be asked, and from the index again once one can", async () => {
    await using node = await startReplayNode({ recording: openRecording(ALPHA) });
    for (const chain of ["P", "X", "C"]) node.setHead(chain, 20);
    await using scene = await openScene(node);
    const [indexed, other] = scene.nodes;
    other.faults.missingPaths = WITHOUT_INDEX;
    await indexed.down();
    await using indexing = await scene.start(2);
    await indexing.untilHeads({ P: 20 });
    await indexed.up();
    await untilStates(indexing, "P", "USABLE", "USABLE");
    node.setHead("P", 40);
    await indexing.untilHeads({ P: 40 });
    const text = `SELECT min(block_number)::int AS first, count(*)::int AS count FROM primary_blocks
      WHERE chain = 'P' AND proposer_id IS NOT NULL`;
    expect((await indexing.database.pool.query(text)).rows).toEqual([{ first: 21, count: 20 }]);
  });

  it.each<[what: string, faults: readonly Fault[], network: object, reason: RegExp]>([
    [
      "names other parents",
      Array.from({ length: 40 }, (_, i) => wrongParent("P", 30 + i)),
      { index: "off" },
      /its block \d+ (is|names) \w+/,
    ],
    ["is of another network", [answers("info.getNetworkID", { networkID: "5" })], {}, /it belongs to network 5/],
  ])("quarantine one that %s, and index the blocks of the others", async (_what, wrongAnswers, network, reason) => {
    await using scene = await openScene();
    scene.nodes[0].faults.wrongAnswers = wrongAnswers;
    await using indexing = await scene.start(2, network);
    await indexing.untilHeads(HEADS);
    await expectRows(indexing, "index" in network ? wholeByHeight : whole);
    for (const chain of ["P", "X"]) {
      const [wrong] = await untilStates(indexing, chain, "QUARANTINED", "USABLE");
      expect(wrong?.reason).toMatch(reason);
    }
  });

  it("go on without a node whose index has a wrong block", async () => {
    await using scene = await openScene();
    scene.nodes[0].faults.wrongAnswers = [tamperedContainer("P", 50), tamperedContainer("X", 50)];
    await using indexing = await scene.start(2, { index: "on" });
    await indexing.untilHeads(HEADS);
    await expectRows(indexing, whole);
  });

  it("stop before the first block in which two of them differ, if nothing tells which is right", async () => {
    await using scene = await openScene();
    // The last block has no child that would name it.
    scene.nodes[0].faults.wrongAnswers = [otherBytes(HEADS.P)];
    await using indexing = await scene.start(2, { index: "off" });
    await indexing.untilState("P", "STOPPED", new RegExp(`nothing tells which of them is right: block ${HEADS.P} is`));
    expect((await indexing.heads()).P).toBe(HEADS.P - 1);
  });

  it("read the proposers of the C-Chain from a node that has its index", async () => {
    await using scene = await openScene();
    scene.nodes[0].faults.missingPaths = /^\/ext\/index\/C/;
    await using indexing = await scene.start(2);
    await indexing.untilProposers(20);
    await untilStates(indexing, "C", "UNAVAILABLE", "USABLE");
  });
});

describe("the vertices of several nodes", () => {
  const DELTA = recordingFolder("delta");

  it.each([
    ["are continued by a node with the same order", false],
    ["are not continued by a node with another order, until the first one is back", true],
  ])("%s", async (_what, hasOtherOrder) => {
    await using node = await startReplayNode({ recording: openRecording(DELTA) });
    await using scene = await openScene(node, DELTA);
    const [first, second] = scene.nodes;
    if (hasOtherOrder) second.faults.wrongAnswers = [swappedVertices(await verticesOf(node))];
    let ranges = 0;
    first.faults.wrongAnswers = [
      {
        answer: (_method, params, answer, path) => {
          const { numToFetch } = Object(params[0]);
          if (path === VERTICES && Number(numToFetch) > 1 && ++ranges === 3) void first.down();
          return answer;
        },
      },
    ];
    await using indexing = await scene.start(2);
    const { heights, networkID } = factsOf(DELTA);
    if (hasOtherOrder) {
      await indexing.untilState("X", "WAITING", /node 2: its index has the vertices in another order: vertex 0 is \w+/);
      await first.up();
    }
    await indexing.untilHeads({ P: heights.P, X: heights.X });
    await using oracle = await replayPrimary(DELTA);
    const rows = "SELECT * FROM x_chain_vertices WHERE network_id = $1 ORDER BY vertex_index";
    const [own, expected] = await Promise.all([
      indexing.database.pool.query(rows, [networkID]),
      oracle.pool.query(rows, [networkID]),
    ]);
    expect(own.rows).toEqual(expected.rows);
  });
});

const VERTICES = "/ext/index/X/vtx";

async function verticesOf({ url }: ReplayNode): Promise<readonly object[]> {
  const params = { startIndex: "0", numToFetch: "1000", encoding: "hex" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "index.getContainerRange", params: [params] });
  const response = await fetch(url + VERTICES, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const { result } = (await response.json()) as { result: { containers: object[] } };
  return result.containers;
}

/** The first two vertices have each other's position. */
function swappedVertices(all: readonly object[]): Fault {
  const order = [all[1], all[0], ...all.slice(2)];
  return {
    answer: (method, params, answer, path) => {
      if (path !== VERTICES || method !== "index.getContainerRange") return answer;
      const { startIndex, numToFetch } = Object(params[0]) as Record<string, string>;
      const start = Number(startIndex);
      const listed = order.slice(start, start + Number(numToFetch));
      return { result: { containers: listed.map((one, i) => ({ ...one, index: String(start + i) })) } };
    },
  };
}

/** The time in the P-Chain block at `height` is a second later. */
function otherBytes(height: number): Fault {
  return {
    answer: (method, params, answer) => {
      const isIt = method === "platform.getBlockByHeight" && Number(Object(params[0]).height) === height;
      if (!isIt || !("result" in answer)) return answer;
      const { block } = answer.result as { readonly block: string };
      const time = (BigInt(`0x${block.slice(14, 30)}`) + 1n).toString(16).padStart(16, "0");
      return { result: { ...Object(answer.result), block: block.slice(0, 14) + time + block.slice(30) } };
    },
  };
}
