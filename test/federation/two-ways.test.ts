import { isLocal, type Subgraph } from "../../gateway/plan/subgraph.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import {
  type Served,
  serveGateway,
  serveGraph,
  serveMetricsSubgraph,
  serveNodeSubgraph,
  servePrimarySubgraph,
  serveSubgraph,
} from "./served.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";

/** Operations of every kind, invalid ones included. */
const OPERATIONS: readonly string[] = [
  "{ chains { chains { chainId chainName status networkToken { symbol decimals } enabledFeatures } } }",
  "{ chains(network: MAINNET) { chains { chainId } } }",
  `query Q($size: Int = 3) { body: evmBlocks(chainId: "760012", first: $size) { blocks: nodes { number: blockNumber hash: blockHash feesSpent blockTimestamp blockTimestampMilliseconds } } }`,
  `{ evmBlocks(chainId: "RNvsaukvAFhfwZojarjF3LEwq3P6amZ8C2y8NBqBUdgGuyjoV", first: 2) { blocks: nodes { chainId ...Part } } } fragment Part on EvmBlock { gasUsed gasLimit parentHash }`,
  `{ erc20Transfers(chainId: "760011", address: "${WALLET}", first: 5) { transactions: nodes { value from { name symbol address } to { address } erc20Token { name symbol decimals logoUri ercType } transaction { txHash nonce logs { logIndex } } block { blockNumber chain { chainName } } } } }`,
  `{ a: chain(chainId: "760011") { chainName } b: chain(chainId: "760012") { chainName @skip(if: true) rpcUrl } }`,
  `{ evmTransaction(chainId: "760011", txHash: "0x2db4d648512133bd9739f5a54662eca1d8a8d402c6ff7427be1e4e9e189dde62") { gasUsed method: txType erc20Transfers { value } } }`,
  `{ internalTransactions(chainId: "760011", address: "0x8294da8adfd6a2810147e314843a2a6983270c94", first: 5) { transactions: nodes { opcode value isReverted from { address } to { address } transaction { txHash deployments { deployments: nodes { address } } } } } }`,
  `query Q($currency: CurrencyCode) { body: deployment(chainId: "760011", address: "0xce4e1e5f3f0ead12dd4707754d9bcf57825fd6b0") { ...Parts native: transaction { to: recipient { ...Side } method { callType } baseFeePerGas } } } fragment Parts on Deployment { erc20Transfers { to { ...Side } erc20Token { symbol price(currency: $currency) { value } } } internalTransactions { opcode } teleporterMessageInfo { direction } networkTokenDetails(currency: $currency) { networkToken { symbol } } } fragment Side on RichAddress { name address }`,
  `{ deployment(chainId: "760011", address: "0x1111111111111111111111111111111111111111") { opcode } }`,
  `{ evmBlock(chainId: "760011", blockNumber: "46") { blockHash } other: evmBlock(chainId: "760011", blockNumber: "99999") { blockHash } }`,
  `{ chain(chainId: "1") { chainName } }`,
  `{ evmBlocks(chainId: "760011", first: 0) { pageInfo { endCursor } } }`,
  `query ($filter: BlockRangeFilter = { fromBlock: 40, toBlock: 60, toTime: 9000000000 }) { evmBlocks(chainId: "760011", last: 3, filter: $filter) { nodes { blockNumber } totalCount { count } } evmTransactions(chainId: "760011", filter: $filter) { nodes { txHash } } }`,
  `{ icmEvents(messageId: "0x22ee82b15cc0f890963a3932a2050349f5de17da5d6edd09b5e89bf51bfd2377", filter: { chains: ["760011"], fromTime: 1 }) { nodes { event } } none: icmEvents(messageId: "0x22ee82b15cc0f890963a3932a2050349f5de17da5d6edd09b5e89bf51bfd2377", filter: { chains: ["1"] }) { nodes { event } } }`,
  `{ erc20Transfers(chainId: "760011", address: "0x12") { pageInfo { endCursor } } }`,
  "{ __typename }",
  "{ chains @skip(if: true) { chains { chainId } } }",
  "{ chains { chains { chainId @skip(if: true) } } }",
  "{ ...F @include(if: false) } fragment F on Query { chains { chains { chainId } } }",
  "{ chains { chains { ... @skip(if: true) { chainId } rpcUrl @include(if: true) } } }",
  "query ($yes: Boolean = true) { chains @skip(if: $yes) { chains { chainId } } }",
  `query ($yes: Boolean = true) { evmBlocks(chainId: "760012", first: 2) { blocks: nodes { blockHash @include(if: $yes) gasUsed @skip(if: $yes) ...F @skip(if: $yes) } } } fragment F on EvmBlock { chainId }`,
  `mutation { reindexNft(chainId: "760011", address: "${WALLET}", tokenId: "1") @skip(if: true) }`,
  "{ chains { chains { __proto__: chainId } } }",
];

/** Queries whose plans fetch from several subgraphs: one after the other, side by side, from lists, and with errors on the way. */
const JOINED: readonly string[] = [
  `{ chain(chainId: "760011") { chainName totals { blocks transactions addresses contracts } blockchain { blockchainName subnet { isL1 } } } }`,
  `{ chains { chains { totals { blocks } name: chainName __typename } } }`,
  `{ a: chain(chainId: "760011") { totals { blocks } } b: chain(chainId: "760012") { totals { blocks } } c: chain(chainId: "760011") { totals { blocks } } }`,
  `{ chain(chainId: "1") { chainName totals { blocks } } }`,
  `query ($token: Address!, $chainId: String = "760011", $size: Int = 3) { erc20Token(chainId: $chainId, address: $token) { name chainId: symbol holders(first: $size) { holders: nodes { balance evmAddress { address contract { address } ...More } } } } } fragment More on EvmAddress { again: contract { address deployment { opcode } } }`,
  `query ($token: Address!) { erc20Token(chainId: "760011", address: $token) { name holders(first: 0) { holders: nodes { balance } } } }`,
  `query ($token: Address!) { a: erc20Token(chainId: "760011", address: $token) { holders(first: 0) { holders: nodes { balance } } } b: erc20Token(chainId: "760011", address: $token) { holders(first: 1) { holders: nodes { evmAddress { address contract { address } } } } } }`,
  `query ($token: Address!, $at: StateAt = { block: "200" }) { erc20Token(chainId: "760011", address: $token) { name balance(address: "${WALLET}", at: $at) past: holders(at: $at, first: 2) { nodes { balance } } first: holderCount(at: { block: 1 }) wrong: totalSupply(at: {}) } }`,
  `query ($token: Address!, $filter: TokenTransferFilter = { address: "${WALLET}", direction: SENT }) { erc20Token(chainId: "760011", address: $token) { transfers(filter: $filter, first: 2) { totalCount { count } nodes { value to { address } } } holdersAbove(threshold: "0", first: 2, filter: { fromTime: 1 }) { nodes { address } } chain { activity(interval: DAY, filter: { fromTime: 1, toTime: 9000000000 }, first: 1) { nodes { blocks } } } } }`,
  `query ($number: Quantity = 200) { address(chainId: "760011", address: "${WALLET}") { address erc20Balances(at: { block: $number }, first: 3) { totalCount { count isExact } nodes { balance token { symbol holderCount(at: { time: 1 }) } } } } }`,
  `query ($at: StateAt) { subnet(network: FUJI, subnetId: "11111111111111111111111111111111LpoYY") { validatorSet(at: $at, first: 3) { blockNumber nodes { weight node { nodeId } } } } }`,
  `{ search(query: "760011") { results { __typename ... on Chain { chainName totals { blocks } } ... on EvmBlock { blockHash } } } }`,
];

let database: Awaited<ReturnType<typeof indexedAlpha>>;
/** A token with holders. */
let token: string;
/** The gateway with its subgraphs in the same process, which operations are passed through to. */
let local: Awaited<ReturnType<typeof serveGraph>>;
let subgraphs: Readonly<Record<string, Served>>;
/** The gateway with its subgraphs in other processes. */
let remote: Served;
/** The gateway with its subgraphs in the same process, of which graphql-js answers every operation. */
let general: Served;
beforeAll(async () => {
  database = await indexedAlpha();
  const { rows } = await database.pool.query<{ token: string }>(
    `SELECT '0x' || encode(token_address, 'hex') AS token FROM erc20_transfers WHERE chain_id = 760011
     GROUP BY token_address ORDER BY count(DISTINCT to_address) DESC, token_address LIMIT 1`,
  );
  token = rows[0]?.token ?? "";
  const indexed = { database, config: database.config };
  local = await serveGraph(indexed);
  subgraphs = {
    evm: await serveSubgraph(indexed),
    node: await serveNodeSubgraph(indexed),
    metrics: await serveMetricsSubgraph(indexed),
    "primary-network": await servePrimarySubgraph(indexed),
  };
  const urls = Object.entries(subgraphs).map(([name, { url }]) => ({ name, url }));
  remote = await serveGateway(urls);
  general = await serveGateway(withoutTexts(local.subgraphs));
});
afterAll(async () => {
  for (const resource of [general, remote, ...Object.values(subgraphs), local, database])
    await resource[Symbol.asyncDispose]();
});

function withoutTexts(subgraphs: readonly Subgraph[]): readonly Subgraph[] {
  return subgraphs.map((subgraph) => {
    if (!isLocal(subgraph)) return subgraph;
    const { name, schema, context } = subgraph;
    return { name, schema, context };
  });
}

const withoutTokens = (text: string): unknown =>
  JSON.parse(text.replace(/"(nextPageToken|endCursor)":"[^"]*"/g, '"$1":"…"'));

interface Answer {
  readonly data: unknown;
  readonly errors: readonly { message: string; extensions?: { code?: string }; path?: unknown[] }[] | undefined;
}

async function ask(url: string, query: string, variables: object): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data = null, errors } = withoutTokens(await response.text()) as Partial<Answer>;
  return { data, errors };
}

async function answer(url: string, query: string, variables: object = {}): Promise<unknown> {
  const { data, errors } = await ask(url, query, variables);
  return { data, errors: errors?.map(({ message, extensions }) => [message, extensions?.code]) };
}

/** The same with the paths of errors. */
async function answerWithPaths(url: string, query: string, variables: object): Promise<unknown> {
  const { data, errors } = await ask(url, query, variables);
  return { data, errors: errors?.map(({ message, extensions, path }) => [message, extensions?.code, path]) };
}

describe("the answer", () => {
  it.each([...OPERATIONS, ...JOINED])("is the same however it is executed: %s", async (query) => {
    const expected = await answerWithPaths(general.url, query, { token });
    for (const { url } of [local, local, remote, remote, remote])
      expect(await answerWithPaths(url, query, { token })).toEqual(expected);
  });
});

describe("a variable that breaks the rule of its type", () => {
  const BROKEN = [
    ["Address", "0x12", 'must be 0x and 40 hex digits, got "0x12"'],
    ["Quantity", "-1", 'must be a non-negative integer, got "-1"'],
    ["Quantity", "9".repeat(90), `must have at most 78 digits, got "${"9".repeat(90)}"`],
  ] as const;
  const queryOf = (type: string) => {
    const [address, block] = type === "Address" ? ["$asked", "null"] : [`"${WALLET}"`, "$asked"];
    return `query($asked: ${type}!) { erc20Transfers(chainId: "760011", address: ${address}, filter: { fromBlock: ${block} }) { pageInfo { endCursor } } }`;
  };

  it.each(BROKEN)(
    "of the type %s (%s) is refused with its name, the rule and the value",
    async (type, asked, expected) => {
      expect(await answer(local.url, queryOf(type), { asked })).toEqual({
        data: null,
        errors: [[`asked ${expected}`, "INVALID_PARAMETER"]],
      });
    },
  );

  it.each([
    ["true", "true"],
    ["[1]", "[1]"],
    ["{ a: 1 }", '{"a":1}'],
    ["abc", '"abc"'],
  ])("is refused with the argument's name if it is neither a text nor a number: %s", async (asked, shown) => {
    const query = queryOf("Quantity")
      .replace(/query\(.*?\)/, "")
      .replace("$asked", asked);
    for (const { url } of [local, general])
      expect(await answer(url, query)).toEqual({
        data: null,
        errors: [[`filter must be a non-negative integer, got ${shown}`, "INVALID_PARAMETER"]],
      });
  });

  it.each(BROKEN)(
    "of the type %s (%s) is refused with the argument's name as a literal",
    async (type, asked, expected) => {
      const query = queryOf(type)
        .replace(/query\(.*?\)/, "")
        .replace("$asked", `"${asked}"`);
      const name = type === "Address" ? "address" : "filter";
      for (const { url } of [local, general])
        expect(await answer(url, query)).toEqual({
          data: null,
          errors: [[`${name} ${expected}`, "INVALID_PARAMETER"]],
        });
    },
  );

  it.each(BROKEN)(
    "of the type %s (%s) is refused with the rule and the value in another process too",
    async (type, asked, expected) => {
      expect(await answer(general.url, queryOf(type), { asked })).toEqual({
        data: null,
        errors: [[expect.stringContaining(expected), "INVALID_PARAMETER"]],
      });
    },
  );

  it("is refused without an internal error also if too many values do not fit, however the operation is executed", async () => {
    const queries = [
      "query ($tags: [String!]) { health(tags: $tags) { healthy } }",
      "subscription ($tags: [String!]) { healthChanged(tags: $tags) { healthy } }",
    ];
    for (const { url } of [local, remote, general])
      for (const query of queries) {
        const { errors } = (await answer(url, query, { tags: new Array(100).fill(null) })) as {
          errors: [message: string, code: string][];
        };
        expect(new Set(errors.map(([, code]) => code))).toEqual(new Set(["INVALID_PARAMETER"]));
      }
  });
});
