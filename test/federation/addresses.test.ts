import { type ExecutionResult, graphql } from "graphql";
import { formatUnits } from "viem";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../../subgraphs/metrics/subgraph.ts";
import { statementsOf } from "../support/database/statements.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import {
  erc20Item,
  expectedAddresses,
  nftItem,
  ofAddress,
  type RecordedAddresses,
  recordedAddresses,
} from "../support/oracle/address-oracle.ts";
import { C_CHAIN, L1 } from "./evm.ts";
import { type Served, serveGraph } from "./served.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const UNUSED = `0x${"1".repeat(40)}`;
const ZERO = `0x${"0".repeat(40)}`;
const NOW = Math.floor(Date.now() / 1_000);

type Alpha = Awaited<ReturnType<typeof indexedAlpha>>;
let alpha: Alpha;
let metrics: MetricsSubgraph;
/** The gateway over both recorded chains, with prices. */
let both: Awaited<ReturnType<typeof served>>;

beforeAll(async () => {
  alpha = await indexedAlpha();
  for (const [asset, currency, value] of [
    ["coin", "usd", "20"],
    ["coin", "eur", "18.5"],
    ["token", "usd", "2.50"],
    ["token", "eur", "0.000001"],
  ])
    await alpha.pool.query("INSERT INTO prices VALUES ($1, $2, $3, $4)", [asset, currency, NOW - 10, value]);
  both = await served(2);
  metrics = await createMetricsSubgraph({ config: alpha.config, database: alpha, logger: createLogger("silent") });
});
afterAll(async () => {
  await both[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
});

const ask = (source: string): Promise<ExecutionResult> =>
  graphql({ schema: metrics.schema, source, contextValue: metrics.context({ work: createWork(), requestId: "test" }) });

/** The recorded chains, with what they say of each address. */
const CHAINS = (["c", "l1"] as const).map((name) => recordedAddresses(openRecording(ALPHA), name));

const NFT_KEY = "chainId address tokenId";
const LISTS = {
  erc20Balances: "token { __typename chainId address } balance",
  nfts: `token { __typename ... on Erc721Token { ${NFT_KEY} } ... on Erc1155Token { ${NFT_KEY} } } balance`,
} as const;
const ACTIVITY = `firstSeen { blockNumber blockTimestamp } lastSeen { blockNumber blockTimestamp } transactionCount`;

/** Addresses are compared in lower case. */
const lower = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/0x[0-9a-fA-F]{40}/g, lowerText));
const lowerText = (text: string): string => text.toLowerCase();

describe("an address", () => {
  it("has the tokens, NFTs, transactions, first and last block that the recorded blocks say, whichever it is", async () => {
    const expected = CHAINS.flatMap((chain) => expectedAddresses(chain, [UNUSED]));
    expect(expected.length).toBeGreaterThan(240);
    const keys = expected.map(
      ({ chainId, address }) => `{ __typename: "EvmAddress", chainId: "${chainId}", address: "${address}" }`,
    );
    const lists = Object.entries(LISTS).map(([list, item]) => `${list} { nextPageToken balances: nodes { ${item} } }`);
    const statements = await statementsOf(async () => {
      const { data, errors } = await ask(
        `{ _entities(representations: [${keys}]) { ... on EvmAddress { chainId address ${ACTIVITY} ${lists} } } }`,
      );
      expect(errors).toBeUndefined();
      expect(lower(data?.["_entities"])).toEqual(expected);
    });
    // Activity, balances and NFTs on each of two chains, whatever the number of addresses.
    expect(statements).toHaveLength(6);
  });

  it.each(["erc20Balances", "nfts"] as const)("lists its %s in pages of any size", async (list) => {
    for (const { chainId, erc20, nfts } of CHAINS) {
      const rows = list === "nfts" ? nfts : erc20;
      const counts = rows.map(({ address }) => ofAddress(rows, String(address)));
      const own = counts.sort((a, b) => b.length - a.length)[0] ?? [];
      const address = own[0]?.["address"];
      expect(own.length).toBeGreaterThan(11);
      for (const pageSize of [5, own.length - 1, own.length]) {
        const found: unknown[] = [];
        let pages = 0;
        for (let token: string | null = ""; token !== null; pages++) {
          const page = `${list}(first: ${pageSize}, after: "${token}") { nextPageToken balances: nodes { ${LISTS[list]} } }`;
          const { data, errors } = await ask(
            `{ address(chainId: "${chainId}", address: "${address}") { page: ${page} } }`,
          );
          expect(errors).toBeUndefined();
          const { nextPageToken, balances } = (data as unknown as Found).address.page;
          found.push(...balances);
          token = nextPageToken;
        }
        expect(pages).toBe(Math.ceil(own.length / pageSize));
        const item = list === "nfts" ? nftItem : erc20Item;
        expect(lower(found)).toEqual(own.map((row) => item(chainId, row)));
      }
    }
  });

  it("is a contract if the node says that it has code, also if the genesis block has it", async () => {
    for (const { chainId, state } of CHAINS) {
      const contracts = [...state.withCode];
      expect(contracts).toContain("0x0200000000000000000000000000000000000005");
      const addresses = [...contracts.slice(-6), ...state.balances.map(({ address }) => address).slice(0, 6)];
      const fields = addresses.map(
        (address, i) => `a${i}: address(chainId: "${chainId}", address: "${address}") { isContract }`,
      );
      const { data, errors } = await both.graph.prepare(`{ ${fields} }`)({}, { work: createWork(), requestId: "test" });
      expect(errors).toBeUndefined();
      expect(Object.values(data ?? {})).toEqual(
        addresses.map((address) => ({ isContract: state.withCode.has(address) })),
      );
    }
  });

  it("refuses the token lists of the zero address, whose tokens are not counted, and unknown page tokens", async () => {
    const { data, errors } = await ask(`{ address(chainId: "${C_CHAIN}", address: "${ZERO}") { transactionCount
      erc20Balances { nextPageToken } nfts { nextPageToken } } }`);
    expect(data?.["address"]).toEqual({ transactionCount: expect.any(String), erc20Balances: null, nfts: null });
    const message = "address must not be the zero address: its tokens are not counted";
    const failure = { message, extensions: { code: "INVALID_PARAMETER" } };
    expect(errors).toMatchObject([failure, failure]);
    const page = `erc20Balances(first: 2) { nextPageToken }`;
    const first = await ask(`{ address(chainId: "${C_CHAIN}", address: "${WALLET}") { page: ${page} } }`);
    const token = (first.data as unknown as Found).address.page.nextPageToken;
    for (const [chainId, address, list] of [
      [L1, WALLET, "erc20Balances"],
      [C_CHAIN, UNUSED, "erc20Balances"],
      [C_CHAIN, WALLET, "nfts"],
    ]) {
      const foreign = `{ address(chainId: "${chainId}", address: "${address}") { ${list}(after: "${token}") { nextPageToken } } }`;
      expect((await ask(foreign)).errors).toMatchObject([{ extensions: { code: "INVALID_PARAMETER" } }]);
    }
  });
});

interface Found {
  readonly address: {
    readonly page: { readonly nextPageToken: string | null; readonly balances: readonly unknown[] };
  };
}

/** A token of the wallet whose price is configured. */
const PRICED = "0x7710f16cb0f6cba462d26802498bf297a5b599a9";

/** The recorded chains with prices, and more chains that are not indexed. */
function served(chains: number): Promise<Served & { graph: Awaited<ReturnType<typeof serveGraph>>["graph"] }> {
  const [first, second] = alpha.config.evmChains.map((chain) => ({
    ...chain,
    networkToken: { ...chain.networkToken, priceId: "coin" },
    tokenPriceIds: { [PRICED]: "token" },
  }));
  const evmChains = [first, second, { ...first, chainId: 7 }, { ...first, chainId: 8 }].slice(0, chains);
  return serveGraph({
    database: alpha,
    config: { ...alpha.config, evmChains: evmChains as typeof alpha.config.evmChains },
  });
}

const PRICE = "{ currencyCode value }";
const PAGE = `{ wallet(address: "${WALLET}") { chainId address chain { chainName } isContract contract { address }
  nativeBalance { symbol balance price ${PRICE} balanceValue ${PRICE} } inEuro: nativeBalance(currency: EUR) { price ${PRICE} }
  ${ACTIVITY}
  erc20Balances { balances: nodes { token { symbol decimals price ${PRICE} } balance price ${PRICE} balanceValue ${PRICE}
    inEuro: balanceValue(currency: EUR) ${PRICE} inYen: balanceValue(currency: JPY) ${PRICE} } }
  nfts(first: 20) { nextPageToken balances: nodes { token { ... on Erc721Token { name metadata { indexStatus } } ... on Erc1155Token { tokenUri } } balance } } } }`;

interface Balance {
  readonly token: { readonly symbol: string; readonly decimals: number; readonly price: unknown };
  readonly balance: string;
  readonly price: { readonly value: string } | null;
  readonly balanceValue: unknown;
  readonly inEuro: unknown;
  readonly inYen: unknown;
}

interface Account {
  readonly [field: string]: unknown;
  readonly chainId: string;
  readonly erc20Balances: { readonly balances: readonly Balance[] } | null;
}

/** What the node returned as the native balance on the C-Chain after the last recorded block. */
function balanceAtEnd(address: string): bigint {
  const { state, times } = CHAINS[0] as RecordedAddresses;
  return state.balances.find((one) => one.address === address && one.height === times.size - 1)?.amount ?? 0n;
}

describe("wallet", () => {
  it("shows an address on every chain in one request, with prices and values", async () => {
    const { data, errors } = await both.graph.prepare(PAGE)({}, { work: createWork(), requestId: "test" });
    expect(errors).toBeUndefined();
    const accounts = data?.["wallet"] as Account[];
    expect(accounts.map(({ chainId, address }) => [chainId, String(address).toLowerCase()])).toEqual([
      [C_CHAIN, WALLET],
      [L1, WALLET],
    ]);
    const [first, second] = accounts as [Account, Account];
    const usd = (value: string) => ({ currencyCode: "USD", value });
    const coins = balanceAtEnd(WALLET);
    expect(first).toMatchObject({
      isContract: false,
      contract: null,
      nativeBalance: {
        symbol: "AVAX",
        balance: String(coins),
        price: usd("20"),
        balanceValue: usd(formatUnits(coins * 20n, 18)),
      },
      inEuro: { price: { currencyCode: "EUR", value: "18.5" } },
    });
    const balances = first.erc20Balances?.balances ?? [];
    expect(balances).toHaveLength(13);
    const priced = balances.filter(({ price }) => price !== null);
    expect(priced).toHaveLength(1);
    const [{ balance, token, ...values }] = priced as [Balance];
    const worth = BigInt(balance) * 25n;
    expect({ balance, ...values }).toEqual({
      balance: "999001",
      price: usd("2.5"),
      balanceValue: usd(formatUnits(worth, token.decimals + 1)),
      inEuro: { currencyCode: "EUR", value: formatUnits(BigInt(balance), token.decimals + 6) },
      inYen: null,
    });
    expect(token.price).toEqual(usd("2.5"));
    expect(second).toMatchObject({
      chain: { chainName: expect.any(String) },
      nativeBalance: { balance: "0", balanceValue: usd("0") },
      firstSeen: null,
      lastSeen: null,
      transactionCount: "0",
      erc20Balances: { balances: [] },
      nfts: { nextPageToken: null, balances: [] },
    });
  });

  it("names the type of each NFT if no field of another subgraph is selected", async () => {
    const nfts = (fields: string) => `nfts(first: 20) { balances: nodes { token { ${fields} } } }`;
    const query = `{ wallet(address: "${WALLET}") { named: ${nfts("__typename")} keyed: ${nfts("... on Erc721Token { tokenId }")} } }`;
    const { data, errors } = await both.graph.prepare(query)({}, { work: createWork(), requestId: "test" });
    expect(errors).toBeUndefined();
    const accounts = data?.["wallet"] as Record<"named" | "keyed", { balances: { token: Record<string, string> }[] }>[];
    const types = accounts[0]?.named.balances.map(({ token }) => token["__typename"]) ?? [];
    expect(new Set(types)).toEqual(new Set(["Erc721Token", "Erc1155Token"]));
    expect(accounts[0]?.keyed.balances.map(({ token }) => "tokenId" in token)).toEqual(
      types.map((type) => type === "Erc721Token"),
    );
  });

  it("costs a fixed number of statements for each chain", async () => {
    await using one = await served(1);
    const counts: number[] = [];
    for (const { graph } of [one, both]) {
      const run = () => statementsOf(() => graph.prepare(PAGE)({}, { work: createWork(), requestId: "test" }));
      await run();
      counts.push((await run()).length);
    }
    // Activity, both lists, ERC-20 tokens, both kinds of NFTs, chains, heads, contracts, and
    // whether the chains without such a contract are indexed. The second chain has four of these again.
    expect(counts).toEqual([10, 14]);
  });

  it("has an error for each field of a chain that is not indexed, and all fields of the other chains", async () => {
    await using graph = await served(4);
    const fields =
      "chainId transactionCount erc20Balances { nextPageToken } nfts { nextPageToken } nativeBalance { balance }";
    let result: ExecutionResult | undefined;
    const statements = await statementsOf(async () => {
      result = await graph.graph.prepare(`{ wallet(address: "${WALLET}") { ${fields} } }`)(
        {},
        { work: createWork(), requestId: "test" },
      );
    });
    const accounts = result?.data?.["wallet"] as Account[];
    expect(accounts.map(({ chainId }) => chainId)).toEqual([C_CHAIN, L1, "7", "8"]);
    const unknown = { transactionCount: null, erc20Balances: null, nfts: null, nativeBalance: null };
    expect(accounts.slice(2)).toEqual([
      { chainId: "7", ...unknown },
      { chainId: "8", ...unknown },
    ]);
    expect(Object.values(accounts[1] ?? {})).not.toContain(null);
    const errors = result?.errors ?? [];
    expect(errors).toHaveLength(8);
    for (const { message, path, extensions } of errors) {
      const chainId = path?.[1] === 2 ? "7" : "8";
      expect(extensions["code"]).toBe("UNAVAILABLE");
      expect(message).toBe(`chain ${chainId} is not indexed yet: its indexer has not started`);
    }
    // Activity and both lists on each of four chains; the state of the indexers in both subgraphs; tokens, heads and the
    // prices at first use.
    expect(statements).toHaveLength(16);
  });
});
