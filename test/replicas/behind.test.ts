import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { createSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { overSse } from "../federation/subscribe.ts";
import { testConfig } from "../support/config.ts";
import { startReplicated } from "../support/database/replicated.ts";
import { until } from "../support/indexed/indexing.ts";
import { listen } from "../support/node/listen.ts";
import { type Stack, startStack } from "../support/stack.ts";

const CHAIN = "760011";
/** Heads of the chain: where the replica stops, and where the primary server goes on to. */
const [BEFORE, AFTER, LAST] = [190, 200, 205];

const opened: AsyncDisposable[] = [];
const use = <Opened extends AsyncDisposable>(one: Opened): Opened => {
  opened.push(one);
  return one;
};
afterAll(async () => {
  for (const one of opened.reverse()) await one[Symbol.asyncDispose]();
});

/**
 * APIs of one installation over a chain whose node has new blocks. One reads from a replica, which does not replay them; one only from the
 * primary server; one has the replica instead of it.
 */
async function serveBehind() {
  const { primary, standby, caughtUp } = use(await startReplicated());
  await migrate(primary.url, () => {});
  const recording = openRecording(ALPHA);
  const node = use(await startReplayNode({ recording, heads: "full" }));
  node.setHead("C", BEFORE);
  const evmChains = demoConfig(recording.manifest, node.url).filter(({ chainId }) => String(chainId) === CHAIN);
  const config = testConfig({ evmChains, indexing: { pollIntervalMs: 50 } });
  const logger = createLogger("silent");
  use(startIndexer(config, primary.url, logger));
  const advance = async (head: number) => {
    node.setHead("C", head);
    const read = () => primary.ask(`SELECT block_number::int FROM chain_heads WHERE chain_id = ${CHAIN}`);
    await until(read, (found) => found === head, `block ${head}`);
  };
  await advance(BEFORE);
  const open = async (url: string, readUrls: readonly string[]) => {
    const database = use(openDatabase(url, 5, logger, { readUrls }));
    const states = async () => database.replicas?.states() ?? [];
    await until(states, (all) => all.every(({ reason }) => reason === null), "the replica to be used");
    return database;
  };
  const serve = async (url: string, readUrls: readonly string[]) =>
    use(await startStack({ database: await open(url, readUrls), config }));
  const onPrimary = await serve(primary.url, []);
  const onReplica = await serve(primary.url, [standby.url]);
  await caughtUp();
  const onStandbyAlone = await serve(standby.url, []);
  const evm = use(await createSubgraph({ config, database: await open(primary.url, [standby.url]), logger }));
  const subgraph = use(await listen(use(await createSubgraphServer(evm, logger)).handler));
  await standby.ask("SELECT pg_wal_replay_pause()");
  const state = () => standby.ask("SELECT pg_get_wal_replay_pause_state()");
  await until(state, (found) => found === "paused", "the replica to stop");
  await advance(AFTER);
  return { onReplica, onPrimary, onStandbyAlone, subgraph, advance };
}

let served: Awaited<ReturnType<typeof serveBehind>>;
beforeAll(async () => {
  served = await serveBehind();
});

type PageBody = Readonly<Record<string, unknown>> & { readonly nextPageToken?: string };

const firstBlock = async (stack: Stack): Promise<unknown> => {
  const { body } = await stack.get(`/v1/chains/${CHAIN}/blocks?pageSize=1`);
  return (body as { blocks: { blockNumber: string }[] }).blocks[0]?.blockNumber;
};

const ask = async (stack: Stack, query: string) => {
  const headers = { "content-type": "application/json" };
  const { body } = await stack.get("/graphql", { method: "POST", headers, body: JSON.stringify({ query }) });
  return body;
};

describe("an API whose replica is behind", () => {
  it("reads from the replica what a request without a token asks for", async () => {
    expect(await firstBlock(served.onPrimary)).toBe(String(AFTER));
    expect(await firstBlock(served.onReplica)).toBe(String(BEFORE));
  });

  it.each([
    `/v1/chains/${CHAIN}/blocks?`,
    `/v1/chains/${CHAIN}/addresses/0xbee4880dbc658fd44fe9b1259df67a921e1a223f/transactions:listErc20?`,
    `/v2/chains/${CHAIN}/contracts/0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430/balances?threshold=0&`,
  ])("continues the list %s where another API has begun it", async (path) => {
    const first = await served.onPrimary.get(`${path}pageSize=2`);
    const { nextPageToken = "" } = first.body as PageBody;
    expect(nextPageToken).not.toBe("");
    const next = `${path}pageSize=2&pageToken=${encodeURIComponent(nextPageToken)}`;
    const [expected, answer] = [await served.onPrimary.get(next), await served.onReplica.get(next)];
    expect(answer.status).toBe(200);
    expect({ ...(answer.body as PageBody), nextPageToken: null }).toEqual({
      ...(expected.body as PageBody),
      nextPageToken: null,
    });
  });

  it("continues lists of the graph", async () => {
    const list = (after: string | null) =>
      `{ evmBlocks(chainId: "${CHAIN}", first: 3, after: ${JSON.stringify(after)}) { nodes { blockNumber } pageInfo { endCursor } } }`;
    interface Answer {
      data: { evmBlocks: { nodes: { blockNumber: string }[]; pageInfo: { endCursor: string } } };
    }
    const { data } = (await ask(served.onPrimary, list(null))) as Answer;
    const next = (await ask(served.onReplica, list(data.evmBlocks.pageInfo.endCursor))) as Answer;
    expect(next.data.evmBlocks.nodes.map(({ blockNumber }) => blockNumber)).toEqual(["197", "196", "195"]);
  });

  it.each([
    `{ evmBlock(chainId: "${CHAIN}", blockNumber: "${AFTER}") { blockHash } }`,
    `{ evmBlock(chainId: "${CHAIN}", blockNumber: "${BEFORE}") { blockHash } absent: evmBlock(chainId: "${CHAIN}", blockNumber: "${AFTER}") { blockHash } }`,
  ])("finds what only the primary server has: %s", async (query) => {
    const expected = await ask(served.onPrimary, query);
    expect(JSON.stringify(expected)).not.toMatch(/null|errors/);
    expect(await ask(served.onReplica, query)).toEqual(expected);
  });

  it.each([
    `{ evmBlock(chainId: "${CHAIN}", blockNumber: "${AFTER}") { blockNumber } }`,
    `{ _entities(representations: [{ __typename: "EvmBlock", chainId: "${CHAIN}", blockNumber: "${BEFORE}" },
      { __typename: "EvmBlock", chainId: "${CHAIN}", blockNumber: "${AFTER}" }]) { ... on EvmBlock { blockNumber } } }`,
    // graphql-js executes what has directives.
    `{ evmBlock(chainId: "${CHAIN}", blockNumber: "${AFTER}") { blockNumber @include(if: true) } }`,
  ])("finds it in a subgraph that has a process of its own: %s", async (query) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${served.subgraph.url}/graphql`, {
      method: "POST",
      headers,
      body: JSON.stringify({ query }),
    });
    const text = await response.text();
    expect(text).toContain(`"blockNumber":"${AFTER}"`);
    expect(text).not.toMatch(/null|errors/);
  });

  it("finds by search what only the primary server has", async () => {
    const block = `{ evmBlock(chainId: "${CHAIN}", blockNumber: "${AFTER}") { blockHash } }`;
    const { data } = (await ask(served.onPrimary, block)) as { data: { evmBlock: { blockHash: string } } };
    const search = `{ search(text: "${data.evmBlock.blockHash}") { results { __typename } } }`;
    const expected = { data: { search: { results: [{ __typename: "EvmBlock" }] } } };
    expect(await ask(served.onReplica, search)).toEqual(expected);
  });

  it("answers for a block number above the head of the replica", async () => {
    const path = `/v1/chains/${CHAIN}/addresses/0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc/balances:getNative?blockNumber=${AFTER}`;
    const { status, body } = await served.onReplica.get(path);
    expect({ status, body }).toMatchObject({ status: 200, body: (await served.onPrimary.get(path)).body as object });
  });

  it("answers a conditional request as the primary server does", async () => {
    const path = `/v1/chains/${CHAIN}/blocks?pageSize=1`;
    const old = (await served.onReplica.get(path)).headers.get("etag") ?? "";
    const answer = await served.onReplica.get(path, { headers: { "if-none-match": old } });
    expect(answer.status).toBe(200);
    expect(
      await served.onReplica.get(path, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } }),
    ).toMatchObject({ status: 304 });
  });

  it("sends new blocks with all that belongs to them", async () => {
    const { onReplica, advance } = served;
    const subscription = `subscription { blockAdded(chainId: "${CHAIN}", fromBlock: "${AFTER + 1}") { blockNumber parent { blockNumber } transactions { nodes { txHash } } txCount } }`;
    const events = overSse<{
      data: { blockAdded: { blockNumber: string; txCount: number; transactions: { nodes: unknown[] } } };
    }>(`${onReplica.url}/graphql`, subscription);
    const first = events.next();
    await advance(LAST);
    const seen = [(await first).value, (await events.next()).value].map((event) => event?.data.blockAdded);
    await events.return(undefined);
    expect(seen).toMatchObject([
      { blockNumber: String(AFTER + 1), parent: { blockNumber: String(AFTER) } },
      { blockNumber: String(AFTER + 2), parent: { blockNumber: String(AFTER + 1) } },
    ]);
    for (const block of seen) expect(block?.transactions.nodes).toHaveLength(block?.txCount ?? -1);
  });

  it("refuses a token with 503 where no server has its blocks", async () => {
    const path = `/v1/chains/${CHAIN}/blocks?pageSize=2`;
    const { nextPageToken = "" } = (await served.onPrimary.get(path)).body as PageBody;
    const { status, headers } = await served.onStandbyAlone.get(
      `${path}&pageToken=${encodeURIComponent(nextPageToken)}`,
    );
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  });
});
