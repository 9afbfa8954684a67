import { createAdmission } from "../../core/limits/admission/admission.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { createSubgraph as createEvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork, servedNetworks } from "../support/indexed/alpha-network.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { startPrimaryIndexing } from "../support/indexed/primary-indexing.ts";
import { serveGateway, serveGraph, serveSubgraph } from "./served.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

const QUERY = 'subscription { blockAdded(chainId: "760011") { blockNumber txCount chain { chainName } } }';
const FIRST = 100;
/** Height by which a subscription must have started, even on a busy machine. */
const LAST_START = 200;

interface Event {
  readonly data?: { readonly blockAdded: { readonly blockNumber: string } } | null;
}

/** Adds the numbers of received blocks to `numbers`, up to `last`. */
async function take(events: AsyncIterable<Event>, numbers: string[], last: () => number): Promise<void> {
  for await (const event of events) {
    numbers.push(event.data?.blockAdded.blockNumber ?? JSON.stringify(event));
    if (numbers.at(-1) === String(last())) break;
  }
}

/** The C-Chain indexed up to `FIRST`, and followed. */
async function startFollowing() {
  const stack = new AsyncDisposableStack20();
  const database = stack.use(await createTestDatabase());
  const node = stack.use(await startReplayNode({ heads: "full" }));
  node.setHead("C", FIRST);
  const [cChain] = demoConfig(node.recording.manifest, node.url);
  const config = testConfig({ evmChains: [cChain] });
  stack.use(startIndexer(config, database.url, createLogger("fatal")));
  await untilIndexed(database, { "760011": FIRST });
  return { database, config, node, stack };
}

/** A WebSocket client, which Node.js 20 does not have. */
class AsyncDisposableStack20 {
  readonly #resources: AsyncDisposable[] = [];
  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.#resources.push(resource);
    return resource;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of this.#resources.splice(0).reverse()) await resource[Symbol.asyncDispose]();
  }
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The `count` blocks up to `last`. */
const blocksUpTo = (last: number, count: number) =>
  Array.from({ length: count }, (_, i) => String(last - count + 1 + i));

describe.each([
  ["graphql-ws", overWebSocket],
  ["SSE", overSse],
])("blockAdded over %s", (_transport, connect) => {
  it.each(["in this process", "by URL"])(
    "sends each new block once and in order, with its subgraph %s",
    async (where) => {
      const { database, config, node, stack } = await startFollowing();
      await using _stack = stack;
      const subgraph = stack.use(await serveSubgraph({ database, config }));
      const served = stack.use(
        where === "by URL"
          ? await serveGateway([{ name: "evm", url: subgraph.url }])
          : await serveGraph({ database, config }),
      );
      const received: string[][] = [[], []];
      let last = Number.POSITIVE_INFINITY;
      const taken = received.map((numbers) => take(connect<Event>(served.url, QUERY), numbers, () => last));
      let head = FIRST;
      // Only its first event shows that a subscription has started.
      for (; received.some((numbers) => numbers.length === 0) && head < LAST_START; await sleep(100))
        node.setHead("C", ++head);
      last = head + 10;
      for (; head < last; await sleep(60)) {
        head = Math.min(head + 3, last);
        node.setHead("C", head);
      }
      await Promise.all(taken);
      expect(received).toEqual(received.map(({ length }) => blocksUpTo(last, Math.max(length, 10))));
    },
  );
});

it.each(["in this process", "by URL"])(
  "an event of a subscription waits for its turn, with its subgraph %s",
  async (where) => {
    const { database, config, node, stack } = await startFollowing();
    await using _stack = stack;
    const logger = createLogger("fatal");
    const local = stack.use(await createEvmSubgraph({ database, config, logger }));
    const remote = stack.use(await serveSubgraph({ database, config }));
    const admission = createAdmission(config, logger);
    const subgraphs = [where === "by URL" ? { name: "evm", url: remote.url } : local];
    const served = stack.use(await serveGateway(subgraphs, logger, committedSupergraph(), config, { admission }));
    const events = overWebSocket<Event>(served.url, QUERY);
    let head = FIRST;
    const untilTrue = async (isTrue: () => boolean) => {
      for (; !isTrue() && head < LAST_START; await sleep(100)) node.setHead("C", ++head);
      expect(isTrue()).toBe(true);
    };
    let hasStarted = false;
    const first = events.next().finally(() => {
      hasStarted = true;
    });
    await untilTrue(() => hasStarted);
    await first;
    const releases = await Promise.all(["a", "b"].map((caller) => admission.event.enter(createWork(caller))));
    const second = events.next();
    await untilTrue(() => admission.event.waiting === 1);
    for (const release of releases) release();
    expect((await second).value).toMatchObject({ data: { blockAdded: { chain: { chainName: expect.any(String) } } } });
    await events.return(undefined);
    expect(admission.event.waiting).toBe(0);
  },
);

describe("a subscription to blocks that begins with an earlier block", () => {
  const subscription = (fromBlock: number) =>
    `subscription { blockAdded(chainId: "760011", fromBlock: "${fromBlock}") { blockNumber parentHash } }`;

  it("sends the blocks from there on, then the new ones", async () => {
    const { database, config, node, stack } = await startFollowing();
    await using _stack = stack;
    const served = stack.use(await serveGraph({ database, config }));
    const numbers: string[] = [];
    const taken = take(overWebSocket<Event>(served.url, subscription(FIRST - 4)), numbers, () => FIRST + 3);
    node.setHead("C", FIRST + 3);
    await taken;
    expect(numbers).toEqual(blocksUpTo(FIRST + 3, 8));
  });

  it.each([0, FIRST, FIRST + 1])("may begin with block %d of a chain whose head is 100", async (fromBlock) => {
    const { database, config, node, stack } = await startFollowing();
    await using _stack = stack;
    const served = stack.use(await serveGraph({ database, config }));
    const events = overWebSocket<Event>(served.url, subscription(fromBlock));
    const first = events.next();
    for (let head = FIRST + 1; head < FIRST + 4; head++, await sleep(50)) node.setHead("C", head);
    expect((await first).value).toMatchObject({ data: { blockAdded: { blockNumber: String(fromBlock) } } });
    await events.return(undefined);
  });

  it("may not begin after the next block", async () => {
    const { database, config, stack } = await startFollowing();
    await using _stack = stack;
    const served = stack.use(await serveGraph({ database, config }));
    await expect(overWebSocket(served.url, subscription(FIRST + 2)).next()).rejects.toMatchObject([
      { message: expect.stringMatching(/^fromBlock must be from 0 to 101, .*, got 102: /) },
    ]);
  });
});

describe("primaryNetworkBlockAdded", () => {
  const subscription = (chain: string, fromBlock: number) =>
    `subscription { primaryNetworkBlockAdded(network: FUJI, blockchainId: "${chain}", fromBlock: "${fromBlock}") {
      blockNumber blockHash transactions { nodes { txHash } }
    } }`;

  it.each(["p-chain", "x-chain"])("sends each block of the %s in order while it is indexed", async (chain) => {
    await using node = await startReplayNode({ heads: "full" });
    const letter = chain === "p-chain" ? "P" : "X";
    const heights = { P: node.head("P"), X: node.head("X") };
    const first = heights[letter] - 5;
    node.setHead(letter, first);
    await using indexing = await startPrimaryIndexing({ folder: ALPHA, node, withCChain: false });
    await indexing.untilHeads({ [letter]: first });
    const config = { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) };
    await using served = await serveGraph({ database: indexing.database, config });
    const numbers: string[] = [];
    const following = (async () => {
      for await (const event of overWebSocket<PrimaryEvent>(served.url, subscription(chain, first - 1))) {
        numbers.push(event.data?.primaryNetworkBlockAdded.blockNumber ?? JSON.stringify(event));
        if (numbers.at(-1) === String(heights[letter])) break;
      }
    })();
    for (let head = first; head < heights[letter]; await sleep(50)) node.setHead(letter, ++head);
    await following;
    expect(numbers).toEqual(blocksUpTo(heights[letter], 7));
  });

  it("refuses the C-Chain, and names the subscription that has its blocks", async () => {
    await using database = await indexedAlphaNetwork();
    await using served = await serveGraph({ database, config: database.config });
    await expect(overWebSocket(served.url, subscription("c-chain", 0)).next()).rejects.toMatchObject([
      { message: expect.stringMatching(/^blockchainId must be a P- or X-Chain, got "c-chain": .*blockAdded$/) },
    ]);
  });
});

interface PrimaryEvent {
  readonly data?: { readonly primaryNetworkBlockAdded: { readonly blockNumber: string } } | null;
}
