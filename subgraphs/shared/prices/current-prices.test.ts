import { openDatabase } from "../../../core/database/open-database.ts";
import { createChains } from "../../../core/networks/chains.ts";
import { CURRENCIES, type Currency } from "../../../core/networks/prices.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { startTcpProxy } from "../../../test/support/node/tcp-proxy.ts";
import { type CurrentPrices, createCurrentPrices } from "./current-prices.ts";
import { createPriceStore, type PriceStore } from "./price-store.ts";

const NOW = 1_700_000_000;
const MAX_AGE = 1_000;
const TOKEN = `0x${"aB".repeat(20)}`;
const NODE = { nodeUrl: "http://node", chainName: "A chain", network: "fuji" };
const CONFIG = testConfig({
  evmChains: [
    { ...NODE, chainId: 7, networkToken: { priceId: "coin" }, tokenPriceIds: { [TOKEN]: "token" } },
    { ...NODE, chainId: 8, tokenPriceIds: { [TOKEN]: "coin" } },
  ],
});

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

async function put(asset: string, currency: Currency, timestamp: number, value: string): Promise<void> {
  await database.pool.query(
    "INSERT INTO prices VALUES ($1, $2, $3, $4) ON CONFLICT (asset, currency, timestamp) DO UPDATE SET value = $4",
    [asset, currency, timestamp, value],
  );
}

interface Opened {
  readonly prices: CurrentPrices;
  readonly store: PriceStore;
  readonly clock: { ms: number };
}

function open(pool = database, config = CONFIG): Opened {
  const clock = { ms: 1_000_000 };
  const store = createPriceStore(pool, MAX_AGE);
  const prices = createCurrentPrices({
    chains: createChains(config),
    store,
    logger: createLogger("silent"),
    nowSeconds: () => NOW,
    nowMs: () => clock.ms,
  });
  return { prices, store, clock };
}

const usd = (value: string) => ({ currencyCode: "usd", value });

describe("current prices", () => {
  it("are the newest of each asset in each currency, as decimal text without trailing zeros", async () => {
    for (const currency of CURRENCIES) await put("coin", currency, NOW - 9, "1.5000");
    await put("coin", "usd", NOW - 10, "9");
    await put("coin", "eur", NOW - 8, "0.000000000000000000000000000001");
    await put("coin", "jpy", NOW, "123456789012345678901234567890");
    const { prices } = open();
    expect(await prices.ofAsset("coin", "usd")).toEqual(usd("1.5"));
    expect(prices.ofAsset("coin", "eur")).toEqual({ currencyCode: "eur", value: "0.000000000000000000000000000001" });
    expect(prices.ofAsset("coin", "jpy")).toEqual({ currencyCode: "jpy", value: "123456789012345678901234567890" });
    expect(prices.ofAsset("coin", "nzd")).toEqual({ currencyCode: "nzd", value: "1.5" });
  });

  it("are found by chain for native tokens, and by chain and address in any case for other tokens", async () => {
    await put("coin", "usd", NOW, "1");
    await put("token", "usd", NOW, "2");
    const { prices } = open();
    const address = TOKEN.toLowerCase();
    expect([prices.nativeAssetId("7"), prices.nativeAssetId("8"), prices.nativeAssetId("9")]).toEqual([
      "coin",
      null,
      null,
    ]);
    expect(await prices.ofToken({ chainId: "7", address }, "usd")).toEqual(usd("2"));
    expect(await prices.ofToken({ chainId: "8", address }, "usd")).toEqual(usd("1"));
    expect(prices.ofToken({ chainId: "9", address }, "usd")).toBeNull();
    expect(prices.ofToken({ chainId: "7", address: `0x${"1".repeat(40)}` }, "usd")).toBeNull();
  });

  it("are null if they are too old, in the future, or of an asset that is not configured", async () => {
    await put("coin", "usd", NOW - MAX_AGE - 1, "1");
    await put("coin", "eur", NOW - MAX_AGE, "2");
    await put("coin", "aud", NOW + 1, "3");
    await put("other", "usd", NOW, "4");
    const { prices } = open();
    expect(await prices.ofAsset("coin", "usd")).toBeNull();
    expect(prices.ofAsset("coin", "eur")).toMatchObject({ value: "2" });
    expect(prices.ofAsset("coin", "aud")).toBeNull();
    expect(prices.ofAsset("other", "usd")).toBeNull();
  });

  it("are read in one statement for concurrent requests, and not again for 5 s", async () => {
    await put("coin", "usd", NOW, "1");
    const { prices, clock } = open();
    const statements = await statementsOf(async () => {
      const quotes = await Promise.all(CURRENCIES.map((currency) => prices.ofAsset("coin", currency)));
      expect(quotes.filter((quote) => quote !== null)).toEqual([usd("1")]);
      clock.ms += 5_000;
      for (let i = 0; i < 100; i++) expect(prices.ofAsset("coin", "usd")).toEqual(usd("1"));
    });
    expect(statements).toHaveLength(1);
  });

  it("are returned from the cache while they are refreshed, and not from the cache after 30 s", async () => {
    await put("coin", "usd", NOW, "1");
    const { prices, clock } = open();
    await prices.ofAsset("coin", "usd");
    await put("coin", "usd", NOW, "2");
    clock.ms += 5_001;
    const statements = await statementsOf(async () => {
      for (let i = 0; i < 10; i++) expect(prices.ofAsset("coin", "usd")).toEqual(usd("1"));
      for (let i = 0; i < 100 && (await prices.ofAsset("coin", "usd"))?.value !== "2"; i++)
        await new Promise((done) => setTimeout(done, 10));
      expect(prices.ofAsset("coin", "usd")).toEqual(usd("2"));
    });
    expect(statements).toHaveLength(1);
    await put("coin", "usd", NOW, "3");
    clock.ms += 30_001;
    expect(await prices.ofAsset("coin", "usd")).toEqual(usd("3"));
  });

  it("need no statement if no price id is configured", async () => {
    const bare = testConfig({ evmChains: [{ ...NODE, chainId: 7 }] });
    const { prices } = open(database, bare);
    const statements = await statementsOf(async () => {
      expect(prices.ofAsset(prices.nativeAssetId("7"), "usd")).toBeNull();
      expect(prices.ofToken({ chainId: "7", address: TOKEN.toLowerCase() }, "usd")).toBeNull();
    });
    expect(statements).toEqual([]);
  });

  it("are returned from the cache during a short outage of the database, then fail with UNAVAILABLE, and recover", async () => {
    await put("coin", "usd", NOW, "1");
    await using proxy = await startTcpProxy(database.url);
    await using far = openDatabase(proxy.through(database.url), 2, createLogger("silent"));
    const { prices, clock } = open({ ...database, pool: far.pool });
    await prices.ofAsset("coin", "usd");
    proxy.cut();
    clock.ms += 10_000;
    expect(prices.ofAsset("coin", "usd")).toEqual(usd("1"));
    clock.ms += 30_000;
    await expect(prices.ofAsset("coin", "usd")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    proxy.restore();
    expect(await prices.ofAsset("coin", "usd")).toEqual(usd("1"));
  });
});

describe("historical prices", () => {
  it("are the newest at or before a time, unless they are too old, and are read in one statement", async () => {
    await put("coin", "usd", 5_000, "1");
    await put("coin", "usd", 5_500, "2.50");
    await put("coin", "eur", 5_500, "3");
    const { store } = open();
    const keys = [
      { asset: "coin", currency: "usd", timestamp: "4999" },
      { asset: "coin", currency: "usd", timestamp: "5000" },
      { asset: "coin", currency: "usd", timestamp: "5499" },
      { asset: "coin", currency: "usd", timestamp: "5500" },
      { asset: "coin", currency: "usd", timestamp: "6500" },
      { asset: "coin", currency: "usd", timestamp: "6501" },
      { asset: "coin", currency: "eur", timestamp: "5600" },
      { asset: "a'b", currency: "eur", timestamp: "5600" },
    ] as const;
    let found: unknown[] = [];
    const statements = await statementsOf(async () => {
      found = (await store.at(keys, SERVICE_WORK)).map(({ timestamp, price }) => [
        timestamp,
        price.currencyCode,
        price.value,
      ]);
    });
    expect(found).toEqual([
      ["5000", "usd", "1"],
      ["5499", "usd", "1"],
      ["5500", "usd", "2.5"],
      ["6500", "usd", "2.5"],
      ["5600", "eur", "3"],
    ]);
    expect(statements).toHaveLength(1);
  });
});
