import type { ExecutionResult } from "graphql";
import type { Api } from "../conformance/api.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { type AlphaCells, C_CHAIN, indexedAlphaCells, L1 } from "../support/indexed/alpha-cells.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf as queryAnswersOf, ROOT, walkList } from "../support/lists/walk-query.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "../upgrade/same-answers.ts";

let plain: Api;
let cells: AlphaCells;
let served: Api;
/** Answers calls of contracts. */
let node: AsyncDisposable;

beforeAll(async () => {
  const { config, ...template } = await indexedAlphaNetwork();
  const empty = await createEmptyDatabase("");
  plain = await serveAtFixedTime({ ...(await startedOn(empty.url, config, empty)), config });
  cells = await indexedAlphaCells(config);
  served = await serveAtFixedTime(cells);
  node = template;
});
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
  "{ chains { chains { chainName platformChainId subnetId areIdsVerified indexing { state blockNumber } totals { blocks transactions } } } }",
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
