import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import { networkTokenDetails } from "../../subgraphs/evm/prices/network-token.ts";
import { createSubgraph as createEvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { statementsOf } from "../support/database/statements.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { serveGateway, serveGraph, serveSubgraph } from "./served.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const NOW = Math.floor(Date.now() / 1_000);

type Alpha = Awaited<ReturnType<typeof indexedAlpha>>;
let alpha: Alpha;
/** The token of the wallet's newest transfer. */
let token: string;

beforeAll(async () => {
  alpha = await indexedAlpha();
  const { rows } = await alpha.pool.query<{ address: string }>(
    `SELECT '0x' || encode(token_address, 'hex') AS address FROM erc20_transfers
     WHERE chain_id = 760011 AND from_address = $1 ORDER BY block_number DESC, log_index DESC LIMIT 1`,
    [`\\x${WALLET.slice(2)}`],
  );
  token = rows[0]?.address ?? "";
  for (const [asset, currency, timestamp, value] of [
    ["token", "usd", NOW - 10, "2.50"],
    ["token", "eur", NOW - 10, "1e-9"],
    ["coin", "usd", NOW - 10, "20"],
    ["coin", "usd", 1_000_000, "7"],
  ])
    await alpha.pool.query("INSERT INTO prices VALUES ($1, $2, $3, $4)", [asset, currency, timestamp, value]);
});
afterAll(() => alpha[Symbol.asyncDispose]());

function priced(): { database: Alpha; config: Alpha["config"] } {
  const evmChains = alpha.config.evmChains.map((chain) => ({
    ...chain,
    networkToken: { ...chain.networkToken, priceId: "coin" },
    tokenPriceIds: { [token.toUpperCase().replace("X", "x")]: "token" },
  }));
  return { database: alpha, config: { ...alpha.config, evmChains } };
}

async function answer(url: string, query: string): Promise<{ data: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: Record<string, unknown> };
}

const list = (price: string, pageSize = 50) =>
  `{ erc20Transfers(chainId: "760011", address: "${WALLET}", first: ${pageSize}) { transactions: nodes { value from { name } erc20Token { symbol ${price} } } } }`;

describe("prices in the graph", () => {
  it.each([
    ["", { currencyCode: "USD", value: "2.5" }],
    ["(currency: USD)", { currencyCode: "USD", value: "2.5" }],
    ["(currency: EUR)", { currencyCode: "EUR", value: "0.000000001" }],
    ["(currency: NZD)", null],
  ])("a token's price%s is the same on every path to the token", async (argument, price) => {
    await using local = await serveGraph(priced());
    await using subgraph = await serveSubgraph(priced());
    await using general = await serveGateway([{ name: "evm", url: subgraph.url }]);
    const field = `price${argument} { currencyCode value }`;
    const key = `chainId: "760011", address: "${token}"`;
    for (const { url } of [local, general]) {
      expect(await answer(url, `{ erc20Token(${key}) { ${field} } }`)).toEqual({ data: { erc20Token: { price } } });
      const { data } = await answer(url, list(`address ${field}`));
      const { transactions } = data["erc20Transfers"] as { transactions: { erc20Token: { address: string } }[] };
      for (const { erc20Token } of transactions)
        expect(erc20Token).toMatchObject({ price: erc20Token.address.toLowerCase() === token ? price : null });
      expect(transactions.some(({ erc20Token }) => erc20Token.address.toLowerCase() === token)).toBe(true);
    }
    const entity = `{ _entities(representations: [{ __typename: "Erc20Token", ${key} }]) { ... on Erc20Token { ${field} } } }`;
    expect(await answer(subgraph.url, entity)).toEqual({ data: { _entities: [{ price }] } });
  });

  it("cost a page of transfers one statement at first, and none while the prices are cached", async () => {
    await using served = await serveGraph(priced());
    const run = (price: string, pageSize: number) =>
      statementsOf(() => served.graph.prepare(list(price, pageSize))({}, { work: createWork(), requestId: "test" }));
    const price = "price { value } eur: price(currency: EUR) { value }";
    expect(await run(price, 10)).toHaveLength(3);
    for (const pageSize of [1, 10, 50]) {
      expect(await run(price, pageSize)).toHaveLength(2);
      expect(await run("", pageSize)).toHaveLength(2);
    }
  });

  it("cost no statement if no prices are configured", async () => {
    await using served = await serveGraph({ database: alpha, config: alpha.config });
    const statements = await statementsOf(() =>
      served.graph.prepare(list("price { value }"))({}, { work: createWork(), requestId: "test" }),
    );
    expect(statements).toHaveLength(2);
  });

  it("cost a balance one statement, and one more for the price at a past block", async () => {
    await using served = await serveGraph(priced());
    const run = async (at: string) => {
      const query = `{ nativeTokenBalance(chainId: "760011", address: "${WALLET}"${at}) { blockNumber nativeTokenBalance { balance price { value } } } }`;
      return statementsOf(async () => {
        const { errors } = await served.graph.prepare(query)({}, { work: createWork(), requestId: "test" });
        expect(errors).toBeUndefined();
      });
    };
    await run("");
    expect(await run("")).toHaveLength(1);
    expect(await run(", blockNumber: 58")).toHaveLength(2);
  });

  it("of a native token are returned for now and for past times, with one statement for many", async () => {
    await using evm = await createEvmSubgraph({ ...priced(), logger: createLogger("fatal") });
    const context = evm.context({ work: createWork(), requestId: "test" });
    await context.currentPrices.ofAsset("coin", "usd");
    let details: unknown[] = [];
    const statements = await statementsOf(async () => {
      details = await Promise.all([
        networkTokenDetails("760011", "1000500", "usd", context),
        networkTokenDetails("760012", "999999", "usd", context),
        networkTokenDetails("760011", "1000500", "eur", context),
      ]);
    });
    expect(statements).toHaveLength(1);
    const networkToken = expect.objectContaining({ name: "Avalanche", symbol: "AVAX", decimals: 18 });
    expect(details).toEqual([
      {
        networkToken,
        currentPrice: { currencyCode: "usd", value: "20" },
        historicalPrice: { currencyCode: "usd", value: "7" },
      },
      { networkToken, currentPrice: { currencyCode: "usd", value: "20" }, historicalPrice: null },
      { networkToken, currentPrice: null, historicalPrice: null },
    ]);
    const ofUnknownChain = () => networkTokenDetails("1", "5", "usd", context);
    expect(ofUnknownChain).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });
});
