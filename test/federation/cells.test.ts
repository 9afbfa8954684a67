import type { ExecutionResult } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import { EVM_BLOCKS } from "../../core/database/block-channels.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { type Placement, placementOf } from "../../core/database/placement.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { openConnection } from "../../exporter/connections/connection.ts";
import { openSnapshot } from "../../exporter/connections/snapshot.ts";
import { createExportSource } from "../../exporter/rows/source.ts";
import { createPlaceCheck } from "../../indexer/evm/follow/place.ts";
import { tryBecomeWriter, type Writer } from "../../indexer/shared/writer.ts";
import { createHealth } from "../../subgraphs/node/health/health.ts";
import { createBlockNotifications } from "../../subgraphs/shared/new-blocks/notifications.ts";
import type { Api } from "../conformance/api.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { type AlphaCells, C_CHAIN, indexedAlphaCells, L1 } from "../support/indexed/alpha-cells.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf as queryAnswersOf, ROOT, walkList } from "../support/lists/walk-query.ts";
import { startTcpProxy } from "../support/node/tcp-proxy.ts";
import { startStack } from "../support/stack.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "../upgrade/same-answers.ts";

let plain: Api;
let plainUrl: string;
let cells: AlphaCells;
let served: Api;
/** Answers calls of contracts. */
let node: AsyncDisposable;

beforeAll(async () => {
  const { config, ...template } = await indexedAlphaNetwork();
  const empty = await createEmptyDatabase("");
  plainUrl = empty.url;
  plain = await serveAtFixedTime({ ...(await startedOn(empty.url, config, empty)), config });
  cells = await indexedAlphaCells(config);
  served = await serveAtFixedTime(cells);
  node = template;
}, 180_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

async function ask(api: Api, query: string): Promise<ExecutionResult> {
  const { body } = await api.get("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return body as ExecutionResult;
}

/** The messages of a filter, page after page, forward and in the other order. */
async function messagesOf(api: Api, filter: string): Promise<unknown> {
  const walk = (direction: string) =>
    walkList({
      ask: queryAnswersOf((query) => ask(api, query)),
      place: ROOT,
      field: "icmMessages",
      args: `filter: { ${filter} }, orderBy: { direction: ${direction} },`,
      selection: `messageId state originSender destinationAddress messageNonce feeToken feeAmount relayer sentTimestamp receivedTimestamp
        latencySeconds sourceBlockchainId destinationBlockchainId sourceChain { chainName } destinationChain { chainName }
        sentEvent { event } receivedEvent { event messageNonce } executedEvent { event } failedEvent { event message { state } }`,
      size: 7,
    });
  const { data } = await ask(api, `{ icmMessages(filter: { ${filter} }) { totalCount { count isExact } } }`);
  return { newestFirst: await walk("DESC"), oldestFirst: await walk("ASC"), data };
}

const STATES = ["SENT", "RECEIVED", "EXECUTED", "FAILED"];

/** Queries of the graph that read chains of several databases. */
const ACROSS_CHAINS: readonly string[] = [
  "{ chains { chains { chainName platformChainId subnetId indexing { state blockNumber } totals { blocks transactions } } } }",
  "{ primaryNetworks { network chains { chainName blockNumber isIndexed blockchainId } } }",
  "{ latestBlocks(first: 30) { nodes { chain { chainName } blockNumber txCount transactions { nodes { txHash } } } totalCount { count } } }",
  "{ latestTransactions(first: 30) { nodes { txHash from { address } logs { nodes { logIndex } } } totalCount { count } } }",
  "{ subnets(network: FUJI, first: 20) { nodes { subnetId blockchains { blockchainName chain { chainName totals { blocks } } } } } }",
];

describe("chains in databases of their own", () => {
  it("leave nothing of a chain in the main database or in the database of another chain", async () => {
    const chains = "SELECT chain_id FROM chain_heads ORDER BY 1";
    const idsIn = async ({ pool }: Pick<AlphaCells, "pool">) =>
      (await pool.query<{ chain_id: string }>(chains)).rows.map(({ chain_id }) => Number(chain_id));
    expect(await Promise.all([cells, cells.ofNetwork, cells.ofL1].map(idsIn))).toEqual([[], [C_CHAIN], [L1]]);
  });

  it.each(ROUTE_REQUESTS)("answer $id as one database with all chains", async (route) => {
    const answers = await answersOf(served, route);
    expect(answers).toEqual(await answersOf(plain, route));
    expect(answers[0]).toMatch(/^200 /);
  });

  it.each(ACROSS_CHAINS)("answer the query %s as one database with all chains", async (query) => {
    const answer = await ask(served, query);
    expect(answer).toEqual(await ask(plain, query));
    expect(answer.errors).toBeUndefined();
  });

  it("list interchain messages, with both of their ends, as one database with all chains", async () => {
    const { data } = await ask(
      plain,
      "{ icmMessages(first: 100) { nodes { messageId originSender destinationAddress } } }",
    );
    const { nodes } = (data as { readonly icmMessages: { readonly nodes: Record<string, string>[] } }).icmMessages;
    const addresses = new Set(
      nodes.flatMap(({ originSender, destinationAddress }) => [originSender, destinationAddress]),
    );
    const wallets = [...addresses].filter(Boolean).slice(0, 4);
    const chains = [`chains: "${C_CHAIN}"`, `chains: "${L1}"`, `chains: ["${C_CHAIN}", "${L1}"]`];
    const filters = [
      "",
      ...STATES.map((state) => `states: ${state}`),
      ...chains.flatMap((chain) =>
        ["", ", direction: SENT", ", direction: RECEIVED, states: [SENT, FAILED]"].map((more) => chain + more),
      ),
      ...wallets.flatMap((address) => [
        `address: "${address}"`,
        `${chains[1]}, address: "${address}", direction: RECEIVED`,
      ]),
    ];
    for (const filter of filters)
      expect([filter, await messagesOf(served, filter)]).toEqual([filter, await messagesOf(plain, filter)]);
    const ids = nodes.map(
      ({ messageId }, at) => `m${at}: icmMessage(messageId: "${messageId}") { state latencySeconds sentTimestamp }`,
    );
    expect(ids.length).toBeGreaterThan(5);
    expect(await ask(served, `{ ${ids.join(" ")} }`)).toEqual(await ask(plain, `{ ${ids.join(" ")} }`));
  });

  it("find what a wallet and a search find in one database with all chains", async () => {
    const { data } = await ask(
      plain,
      "{ latestTransactions(first: 5) { nodes { txHash blockNumber from { address } } } }",
    );
    const { nodes } = (data as unknown as Transactions).latestTransactions;
    const texts = [
      ...nodes.flatMap(({ txHash, blockNumber, from }) => [txHash, blockNumber, from.address]),
      "a",
      String(L1),
    ];
    for (const text of texts) {
      const query = `{ search(text: "${text}", first: 50) { results { __typename } hasMore notSearched } }`;
      expect([text, await ask(served, query)]).toEqual([text, await ask(plain, query)]);
    }
    const wallets = nodes.map(
      (
        { from },
        at,
      ) => `w${at}: evmAccount(address: "${from.address}") { transactions(first: 20) { nodes { txHash } totalCount { count } }
        addresses { chain { chainName } nativeBalance { balance } } }`,
    );
    expect(await ask(served, `{ ${wallets.join(" ")} }`)).toEqual(await ask(plain, `{ ${wallets.join(" ")} }`));
  });
});

interface Transactions {
  readonly latestTransactions: {
    readonly nodes: readonly {
      readonly txHash: string;
      readonly blockNumber: string;
      readonly from: { readonly address: string };
    }[];
  };
}

describe("while the database of one chain cannot be reached", () => {
  it("the others are served, and requests for it and for all chains fail with the reason", async () => {
    const { config, ofL1, url } = cells;
    await using proxy = await startTcpProxy(url);
    const evmChains = config.evmChains.map((chain) =>
      chain.chainId === L1 ? { ...chain, databaseUrl: proxy.through(ofL1.url) } : chain,
    );
    const proxied = { ...config, evmChains };
    await using database = openDatabase(url, 3, createLogger("silent"), { placement: placementOf(proxied, url) });
    await using stack = await startStack({ database, config: proxied });
    await using health = await createHealth({
      config: proxied,
      database,
      logger: createLogger("silent"),
      upstream: null,
      probes: {},
    });
    const statusOf = async (path: string) => (await stack.get(path)).status;
    const [ofL1Blocks, ofCBlocks] = [`/v1/chains/${L1}/blocks`, `/v1/chains/${C_CHAIN}/blocks`];
    const statuses = () => Promise.all([ofL1Blocks, ofCBlocks, "/v1/chains"].map(statusOf));
    const failedChecks = async () => {
      await health.tick();
      return health.health().checks.flatMap(({ name, error }) => (error?.includes("database") ? [name] : []));
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(await failedChecks()).toEqual([]);
    proxy.cut();
    expect(await statuses()).toEqual([503, 200, 503]);
    // This process has read no chain for a health check before.
    expect(await statusOf("/v1/health-check")).toBe(200);
    expect((await stack.get(ofL1Blocks)).body).toMatchObject({ message: "the database cannot be reached" });
    expect((await stack.get("/v1/networks/fuji/blockchains/p-chain/transactions")).status).toBe(200);
    const failed = await failedChecks();
    expect(failed).toContainEqual(expect.stringMatching(/^database 127\.0\.0\.1:\d+\/\w+$/));
    expect(failed).not.toContain("database");
    expect(failed).not.toContain("C");
    proxy.restore();
    expect(await statuses()).toEqual([200, 200, 200]);
  });
});

describe("a subscription to new blocks", () => {
  it("gets the last block of a chain from the database of the chain", async () => {
    const notifications = createBlockNotifications(cells.evm.pool, createLogger("silent"), EVM_BLOCKS);
    const firstOf = (chain: number) => new Promise<bigint>((resolve) => notifications.listen(String(chain), resolve));
    try {
      const [ofC, ofL1] = await Promise.all([firstOf(C_CHAIN), firstOf(L1)]);
      const head = "SELECT block_number FROM chain_heads";
      const headIn = async ({ pool }: Pick<AlphaCells, "pool">) =>
        (await pool.query<{ block_number: string }>(head)).rows.map(({ block_number }) => BigInt(block_number));
      expect([[ofC], [ofL1]]).toEqual([await headIn(cells.ofNetwork), await headIn(cells.ofL1)]);
    } finally {
      await notifications[Symbol.asyncDispose]();
    }
  });
});

describe("an export", () => {
  it("has the rows of chains in several databases, with the prices of the main one", async () => {
    const { data } = await ask(
      plain,
      "{ latestTransactions(first: 50) { nodes { txHash blockNumber from { address } } } }",
    );
    const { nodes } = (data as unknown as Transactions).latestTransactions;
    const addresses = [...new Set(nodes.map(({ from }) => from.address.toLowerCase()))].sort();
    const request = {
      type: "TRANSACTION_EXPORT_EVM",
      addresses,
      chainIds: [String(C_CHAIN), String(L1)],
      firstDate: null,
      lastDate: null,
      compression: "NONE",
    } as const;
    const rowsIn = async (placement: Placement, config: Config) => {
      await using session = await openConnection(placement.main, "test");
      await using snapshot = await openSnapshot({ placement, request, operationId: "0", session });
      const source = createExportSource(request, { config });
      const bounds = await source.readBounds(snapshot.client);
      const days = await source.countDays(snapshot.client, bounds);
      const rows: (readonly string[])[] = [];
      const options = { after: null, beforeDate: null, signal: new AbortController().signal };
      for await (const batch of source.read(snapshot.client, bounds, options)) rows.push(...batch.rows);
      return { days, rows };
    };
    const found = await rowsIn(placementOf(cells.config, cells.url), cells.config);
    expect(found.rows.length).toBeGreaterThan(10);
    expect(found).toEqual(await rowsIn(placementOf(plain.config, plainUrl), plain.config));
  });
});

describe("the place of a chain", () => {
  it("is read in the database of its primary network, and stored in the database of the chain", async () => {
    const { config, ofNetwork, ofL1 } = cells;
    const chain = config.evmChains.find(({ chainId }) => chainId === L1) as Config["evmChains"][number];
    await ofL1.pool.query("DELETE FROM chain_places");
    await using writer = (await tryBecomeWriter(ofL1.url, "test")) as Writer;
    const { primaryNetworks } = config;
    const logger = createLogger("silent");
    await createPlaceCheck({ chain, primaryNetworks, writer, logger, otherDatabase: () => ofNetwork.pool })();
    const place = "SELECT encode(subnet_id, 'hex') AS subnet FROM chain_places WHERE chain_id = $1";
    const subnet = "SELECT encode(subnet_id, 'hex') AS subnet FROM blockchains WHERE evm_chain_id = $1";
    const found = await ofL1.pool.query(place, [L1]);
    expect(found.rows).toEqual((await ofNetwork.pool.query(subnet, [L1])).rows);
    expect(found.rowCount).toBe(1);
  });
});
