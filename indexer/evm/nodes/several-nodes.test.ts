import { metricsText } from "../../../core/observability/forked-metrics.ts";
import { elementsOf } from "../../../recordings/json-text.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { expectSameRows } from "../../../test/live/expect-same-rows.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import type { Tables } from "../../../test/support/database/tables.ts";
import { type Indexing, type IndexingOptions, startIndexing, until } from "../../../test/support/indexed/indexing.ts";
import { startMetrics } from "../../../test/support/metrics.ts";
import { FAULTS, type Fault } from "../../../test/support/node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import type { NodeStatus } from "../../shared/progress.ts";
import { createNodePool } from "./node-pool.ts";

const C = "/ext/bc/C/rpc";
const CHAIN = 760_011;
const recording = openRecording(ALPHA);
/** Number of a block with several receipts and logs. */
const HEIGHT = recording.calls(C, "eth_getLogs").findIndex(({ text }) => elementsOf(text).length > 3);
const END = HEIGHT + 60;
/** The first block of a fork. */
const FORK = HEIGHT + 10;

function hashAt(height: number): string {
  const answer = recording.answer(C, "eth_getBlockByNumber", [`0x${height.toString(16)}`, true]);
  return (JSON.parse(answer?.text ?? "{}") as { hash: string }).hash;
}

/** The hash that a block has in a fork. */
const forkedHash = (height: number): readonly [hash: string, other: string] => {
  const hash = hashAt(height);
  return [hash, `0xeeeeeeee${hash.slice(10)}`];
};

/** Something for each block from `FORK` on. */
const fromFork = <Item>(make: (height: number) => Item): readonly Item[] =>
  Array.from({ length: END - FORK + 1 }, (_, i) => make(FORK + i));

/** Another chain that begins at block `FORK`. */
const forked = (): Fault => FAULTS.otherHashes(new Map(fromFork(forkedHash)));
/** The blocks have other hashes than those that their children name. */
const otherHashes = () => fromFork((height) => FAULTS.otherHashes(new Map([forkedHash(height)]), height));

let upstream: ReplayNode;
let undisturbed: Tables;
beforeAll(async () => {
  upstream = await startReplayNode({ recording });
  upstream.setHead("C", END);
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: upstream.url + C, chain: { traces: "on" } });
  await indexing.untilHead(hashAt(END));
  undisturbed = await indexing.tables();
});
afterAll(() => upstream[Symbol.asyncDispose]());

interface Scene extends AsyncDisposable {
  readonly nodes: readonly [FaultyNode, FaultyNode, FaultyNode];
  start(count: 2 | 3, options?: Partial<IndexingOptions>): Promise<SeveralNodes>;
}

interface SeveralNodes extends Indexing {
  /** Waits until the nodes have these states, in their order. Returns what is known of them. */
  untilStates(...states: readonly string[]): Promise<readonly NodeStatus[]>;
  /** Waits until all blocks are indexed, and compares the rows with those of a single node. */
  untilSameRows(): Promise<void>;
}

async function openScene(): Promise<Scene> {
  const start = () => startFaultyNode({ upstream: upstream.url });
  const nodes = [await start(), await start(), await start()] as const;
  return {
    nodes,
    async start(count, options) {
      const nodeUrl = nodes.slice(0, count).map(({ url }) => url + C);
      const indexing = await startIndexing({
        chainId: CHAIN,
        nodeUrl,
        indexing: { requestTimeoutMs: 1_000, batchBlocks: 64 },
        ...options,
      });
      return {
        ...indexing,
        untilStates: (...states) => untilStates(indexing, states),
        untilSameRows: () => untilSameRows(indexing),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}

async function untilStates({ database }: Indexing, states: readonly string[]): Promise<readonly NodeStatus[]> {
  const read = async () =>
    (await database.pool.query<{ nodes: NodeStatus[] | null }>("SELECT nodes FROM chain_progress")).rows[0]?.nodes ??
    [];
  const isDone = (nodes: readonly NodeStatus[]) => nodes.map(({ state }) => state).join() === states.join();
  return await until(read, isDone, states.join());
}

async function untilSameRows(indexing: Indexing): Promise<void> {
  await indexing.untilHead(hashAt(END));
  await indexing.untilState("FOLLOWING", /^$/);
  const untraced = "SELECT FROM untraced_ranges WHERE chain_id = $1";
  const count = async () => (await indexing.database.pool.query(untraced, [CHAIN])).rowCount;
  await until(count, (rows) => rows === 0, "the call trees of all blocks");
  expectSameRows(await indexing.tables(), undisturbed);
}

const headOf = async ({ database }: Indexing): Promise<number | undefined> =>
  (await database.pool.query<{ head: number }>("SELECT block_number::int AS head FROM chain_heads")).rows[0]?.head;

/** Runs `act` once, when the node has answered this number of requests for call trees. Each node gets at least one piece with as many. */
function afterBlocks(count: number, act: () => void): Fault {
  let left = count;
  return {
    answer: (method, _params, answer) => {
      if (method === "debug_traceBlockByNumber" && --left === 0) act();
      return answer;
    },
  };
}

describe("several nodes of a chain", () => {
  it("each fetch a part of the blocks, and no block is fetched twice", async () => {
    await using scene = await openScene();
    await using indexing = await scene.start(3);
    await indexing.untilSameRows();
    const traced = scene.nodes.map(({ traffic }) => traffic.calls.get("eth_getBlockReceipts") ?? 0);
    expect(Math.min(...traced)).toBeGreaterThan(0);
    expect(traced.reduce((sum, count) => sum + count, 0)).toBe(END + 1);
    expect(await indexing.untilStates("USABLE", "USABLE", "USABLE")).toMatchObject([
      { name: "node 1", head: END, reason: null },
      { name: "node 2", head: END, reason: null },
      { name: "node 3", head: END, reason: null },
    ]);
  });

  it.each<[what: string, fail: (node: FaultyNode) => unknown, reason: RegExp]>([
    ["is down", (node) => void node.down(), /^the node gave no answer/],
    [
      "answers HTTP 502",
      (node) => Object.assign(node.faults, { status: { code: 502 } }),
      /^the node answered HTTP 502/,
    ],
    ["hangs", (node) => Object.assign(node.faults, { delayMs: 60_000 }), /^the node gave no answer within 1000 ms/],
    [
      "answers garbage",
      (node) => Object.assign(node.faults, { garbage: "html" }),
      /^the node gave an answer that is not JSON/,
    ],
  ])("the others fetch the blocks of one that %s, and it is used again afterwards", async (_what, fail, reason) => {
    await using scene = await openScene();
    const [, second] = scene.nodes;
    second.faults.wrongAnswers = [afterBlocks(3, () => fail(second))];
    await using indexing = await scene.start(2);
    const [, failed] = await indexing.untilStates("USABLE", "UNAVAILABLE");
    expect(failed?.reason).toMatch(reason);
    await indexing.untilSameRows();
    await second.heal();
    await indexing.untilStates("USABLE", "USABLE");
  });

  it.each([
    ["auto", "error"],
    ["auto", "null"],
    ["on", "error"],
    ["on", "null"],
  ] as const)("a node that has pruned blocks is asked for the others only (traces %s, answers %s)", async (...one) => {
    const [traces, style] = one;
    await using scene = await openScene();
    scene.nodes[0].faults.wrongAnswers = [FAULTS.pruned(HEIGHT, style)];
    await using indexing = await scene.start(2, { chain: { traces } });
    await indexing.untilSameRows();
    await indexing.untilStates("USABLE", "USABLE");
  });

  it.each(["auto", "on"] as const)(
    "a node without the state of old blocks is not asked for call trees (%s)",
    async (traces) => {
      await using scene = await openScene();
      const words = "required historical state unavailable (reexec=128)";
      scene.nodes[0].faults.wrongAnswers = Array.from({ length: HEIGHT }, (_, height) =>
        FAULTS.refused("debug_traceBlockByNumber", height, -32_000, words),
      );
      await using indexing = await scene.start(2, { chain: { traces } });
      await indexing.untilSameRows();
      const { rows } = await indexing.database.pool.query(
        "SELECT is_on, reason FROM chain_capabilities WHERE capability = 'traces'",
      );
      expect(rows).toEqual([{ is_on: true, reason: null }]);
    },
  );

  it("a node without debug_traceBlockByNumber does not make blocks lack their call trees", async () => {
    await using scene = await openScene();
    scene.nodes[0].faults.wrongAnswers = [FAULTS.methodMissing("debug_traceBlockByNumber")];
    await using indexing = await scene.start(2);
    await indexing.untilSameRows();
  });

  it("a node that is behind is not asked for blocks above its head", async () => {
    await using scene = await openScene();
    scene.nodes[0].faults.wrongAnswers = [FAULTS.frozenHead(HEIGHT)];
    await using indexing = await scene.start(2);
    await indexing.untilSameRows();
    const [first, second] = await indexing.untilStates("USABLE", "USABLE");
    expect([first?.head, second?.head]).toEqual([HEIGHT, END]);
  });

  it("a node of another chain is quarantined", async () => {
    await using scene = await openScene();
    scene.nodes[1].faults.wrongAnswers = [
      { answer: (method, _params, answer) => (method === "eth_chainId" ? { result: "0x7" } : answer) },
    ];
    await using indexing = await scene.start(2);
    await indexing.untilSameRows();
    const [, wrong] = await indexing.untilStates("USABLE", "QUARANTINED");
    expect(wrong?.reason).toBe(`it serves chain 7, not ${CHAIN}`);
  });

  it.each([0, 1] as const)("one of two whose blocks do not follow one another is quarantined (node %s)", async (at) => {
    await using scene = await openScene();
    scene.nodes[at].faults.wrongAnswers = otherHashes();
    await using indexing = await scene.start(2);
    const states = at === 0 ? ["QUARANTINED", "USABLE"] : ["USABLE", "QUARANTINED"];
    const nodes = await indexing.untilStates(...states);
    expect(nodes[at]?.reason).toMatch(
      /^its block \d+ is 0xeeeeeeee\w{56}, but its block \d+ names 0x\w{64} as its parent$/,
    );
    await indexing.untilSameRows();
  });

  it("one of two that names another parent is quarantined", async () => {
    await using scene = await openScene();
    scene.nodes[1].faults.wrongAnswers = fromFork(FAULTS.wrongParentHash);
    await using indexing = await scene.start(2);
    const [, wrong] = await indexing.untilStates("USABLE", "QUARANTINED");
    expect(wrong?.reason).toMatch(/^its block \d+ names 0xbad0\w+ as its parent, but block \d+ is 0x/);
    await indexing.untilSameRows();
  });

  it.each([0, 1, 2] as const)("one of three that has another chain is quarantined (node %s)", async (at) => {
    await using scene = await openScene();
    scene.nodes[at].faults.wrongAnswers = [forked()];
    await using indexing = await scene.start(3);
    await indexing.untilSameRows();
    const nodes = await indexing.untilStates(...[0, 1, 2].map((i) => (i === at ? "QUARANTINED" : "USABLE")));
    expect(nodes[at]?.reason).toMatch(
      new RegExp(`^its block ${FORK} is 0xeeeeeeee\\w{56}, but block ${FORK} of 2 of 3 nodes is ${hashAt(FORK)}$`),
    );
  });

  it("two that have different chains stop the chain before the first different block, until they agree", async () => {
    await using scene = await openScene();
    const [first, second] = scene.nodes;
    second.faults.wrongAnswers = [forked()];
    await using indexing = await scene.start(2);
    const reason = await indexing.untilState("STOPPED", /contradict/);
    expect(reason).toMatch(
      new RegExp(
        `block ${FORK} is (${hashAt(FORK)} at node 1|0xeeeeeeee\\w{56} at node 2) and 0x\\w{64} at node [12]; remove`,
      ),
    );
    for (const { url } of [first, second]) expect(reason).not.toContain(new URL(url).port);
    expect((await headOf(indexing)) ?? -1).toBeLessThan(FORK);
    await second.heal();
    await indexing.untilSameRows();
  });

  it("one that contradicts the indexed blocks is quarantined, and none of them is removed", async () => {
    await using scene = await openScene();
    await using database = await createTestDatabase();
    {
      await using indexing = await scene.start(2, { database });
      await indexing.untilSameRows();
    }
    scene.nodes[0].faults.wrongAnswers = [forked()];
    await using indexing = await scene.start(2, { database });
    const [wrong] = await indexing.untilStates("QUARANTINED", "USABLE");
    expect(wrong?.reason).toMatch(/^its block \d+ is 0xeeeeeeee\w{56}, but the indexed block is 0x/);
    await indexing.untilSameRows();
  });

  it("one that contradicts the indexed blocks makes the chain wait while the other one is down", async () => {
    await using scene = await openScene();
    await using database = await createTestDatabase();
    {
      await using indexing = await scene.start(2, { database });
      await indexing.untilSameRows();
    }
    const [first, second] = scene.nodes;
    first.faults.wrongAnswers = [forked()];
    await second.down();
    await using indexing = await scene.start(2, { database });
    await indexing.untilState(
      "WAITING",
      /node 1: its block \d+ is 0xeeeeeeee.*, and node 2 cannot be asked for it; node 2: the node gave no answer/,
    );
    expect(await headOf(indexing)).toBe(END);
    await second.up();
    await indexing.untilStates("QUARANTINED", "USABLE");
    await indexing.untilSameRows();
  });

  it("make the chain wait if none of them answers, with the reasons of all", async () => {
    await using scene = await openScene();
    const [first, second] = scene.nodes;
    first.faults.wrongAnswers = [
      afterBlocks(3, () => {
        first.faults.status = { code: 503 };
        void second.down();
      }),
    ];
    await using indexing = await scene.start(2);
    await indexing.untilState(
      "WAITING",
      /^no node can be used: node 1: the node answered HTTP 503.*; node 2: the node gave no answer \(ECONNREFUSED\)/,
    );
    await first.heal();
    await second.heal();
    await indexing.untilSameRows();
  });

  it("are counted by their names: requests by outcome, states and heights", async () => {
    const registry = await startMetrics();
    await using scene = await openScene();
    await scene.nodes[1].down();
    await using indexing = await scene.start(2);
    await indexing.untilSameRows();
    const text = await metricsText(registry);
    const countOf = (name: string, labels: string) =>
      Number(new RegExp(`^${name}\\{chain="${CHAIN}",node="${labels}\\} (\\S+)$`, "m").exec(text)?.[1] ?? -1);
    expect(countOf("moraine_node_requests_total", 'node 1",outcome="ok"')).toBeGreaterThan(0);
    expect(countOf("moraine_node_requests_total", 'node 2",outcome="ok"')).toBe(-1);
    expect(countOf("moraine_node_requests_total", 'node 2",outcome="failed"')).toBeGreaterThan(0);
    expect(countOf("moraine_node_request_duration_seconds_count", 'node 1"')).toBeGreaterThan(0);
    expect(countOf("moraine_node_state", 'node 1",state="USABLE"')).toBe(1);
    expect(countOf("moraine_node_state", 'node 2",state="USABLE"')).toBe(0);
    expect(countOf("moraine_node_state", 'node 2",state="UNAVAILABLE"')).toBe(1);
    expect(countOf("moraine_node_height", 'node 1"')).toBe(END);
  });

  it("return blocks and call trees to a command, which needs no index", async () => {
    await using scene = await openScene();
    const [first, second] = scene.nodes;
    first.faults.wrongAnswers = [FAULTS.pruned(HEIGHT)];
    await using pool = createNodePool({
      chainId: CHAIN,
      nodes: [first, second].map(({ url }, i) => ({ name: `n${i}`, url: url + C, headers: {}, setting: "" })),
      traces: "auto",
      indexing: { requestTimeoutMs: 1_000, maxConcurrency: 4, maxBatchSize: 20 },
      signal: new AbortController().signal,
    });
    const old = await pool.source.tracedBlock(HEIGHT - 1);
    expect([old.block.hash, old.traces?.length]).toEqual([hashAt(HEIGHT - 1), old.block.transactions.length]);
    const [block] = await pool.source.blocks(HEIGHT, HEIGHT);
    expect(block?.block.hash).toBe(hashAt(HEIGHT));
    await second.down();
    await expect(pool.source.tracedBlock(HEIGHT - 1)).rejects.toMatchObject({ name: "NodeUnavailable" });
  });
});
