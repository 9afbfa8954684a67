import { onceAtATime } from "../../../core/async/once.ts";
import { messageOf } from "../../../core/errors/errors.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { type Currency, pricedAssets } from "../../../core/networks/prices.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import type { Price } from "./price.ts";
import type { PriceStore } from "./price-store.ts";

/** Prices that were read longer ago than this are returned, but are also refreshed in the background. */
const FRESH_MS = 5_000;
/** Prices that were read longer ago than this are not returned: the caller waits for the refresh. */
const STALE_MS = 30_000;

/** A price, or null if it is unknown. A promise if the caller must wait for the read; it rejects if the read fails. */
export type Quote = Price | null | Promise<Price | null>;

/** A cache of the current prices of all configured assets, because lists of transfers need a price for each row. */
export interface CurrentPrices {
  /** Id of a chain's native token at the price source; null if none is configured. */
  nativeAssetId(chainId: string): string | null;
  /** Id of a token at the price source; null if none is configured. */
  tokenAssetId(token: { readonly chainId: string; readonly address: string }): string | null;
  /** Current price of an asset; null if unknown. */
  ofAsset(asset: string | null, currency: Currency): Quote;
  /** Current price of one whole token; null if unknown, or if the configuration has no price id for the token. */
  ofToken(token: { readonly chainId: string; readonly address: string }, currency: Currency): Quote;
}

export interface CurrentPricesOptions {
  readonly chains: Chains;
  readonly store: PriceStore;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
  /** Clock for the age of the cache, in milliseconds. Default: a monotonic clock. */
  readonly nowMs?: () => number;
}

type PriceTable = Map<string, Partial<Record<Currency, Price>>>;

/** Reads all prices in one statement when a price is requested and the cached ones are not fresh. Callers share a running read. */
export function createCurrentPrices(options: CurrentPricesOptions): CurrentPrices {
  const { chains, store, logger, nowSeconds, nowMs = () => performance.now() } = options;
  const assets = pricedAssets(chains.all);
  const tokenAssets = configuredTokenAssets(chains);
  let prices: PriceTable = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isRefreshing = false;

  const readOnce = onceAtATime(async () => {
    const startedMs = nowMs();
    prices = priceTable(await store.allAt(assets, nowSeconds(), SERVICE_WORK));
    readAtMs = startedMs;
  });

  /** Refreshes the prices in the background, for the next callers. */
  async function refresh(): Promise<void> {
    if (isRefreshing) return;
    isRefreshing = true;
    try {
      await readOnce();
    } catch (error) {
      logger.warn(`failed to read prices: ${messageOf(error)}`);
    } finally {
      isRefreshing = false;
    }
  }

  function ofAsset(asset: string | null, currency: Currency): Quote {
    if (asset === null) return null;
    const ageMs = nowMs() - readAtMs;
    if (ageMs > STALE_MS) return readOnce().then(() => prices.get(asset)?.[currency] ?? null);
    if (ageMs > FRESH_MS) void refresh();
    return prices.get(asset)?.[currency] ?? null;
  }

  const tokenAssetId: CurrentPrices["tokenAssetId"] = ({ chainId, address }) =>
    tokenAssets.get(chainId)?.get(address) ?? null;
  return {
    tokenAssetId,
    nativeAssetId: (chainId) => chains.get(chainId)?.networkToken.priceId ?? null,
    ofAsset,
    ofToken: (token, currency) => ofAsset(tokenAssetId(token), currency),
  };
}

function priceTable(prices: Awaited<ReturnType<PriceStore["allAt"]>>): PriceTable {
  const table: PriceTable = new Map();
  for (const { asset, currency, price } of prices) {
    const ofAsset = table.get(asset) ?? {};
    ofAsset[currency] = price;
    table.set(asset, ofAsset);
  }
  return table;
}

/** Price ids of tokens in the configuration, by chain and address. */
function configuredTokenAssets(chains: Chains): Map<string, Map<string, string>> {
  const idsOf = (ids: Readonly<Record<string, string>>) =>
    new Map(Object.entries(ids).map(([address, id]) => [address.toLowerCase(), id]));
  return new Map(chains.all.map(({ chainId, tokenPriceIds }) => [String(chainId), idsOf(tokenPriceIds)]));
}
