import type { Chains } from "../../../core/chains.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Logger } from "../../../core/logger.ts";
import { type Currency, pricedAssets } from "../../../core/prices.ts";
import type { Price } from "../../shared/price.ts";
import type { PriceStore } from "../../shared/price-store.ts";

/** Prices younger than this are given as they are; older ones are given and read anew meanwhile. */
const FRESH_MS = 5_000;
/** Prices older than this are not given: whoever asks waits for new ones. */
const STALE_MS = 30_000;

/** A price, or the promise of one while the book is not at hand. */
export type Quote = Price | null | Promise<Price | null>;

/** The current prices of the configured assets, in memory: a hot list asks for one a row. */
export interface PriceBook {
  /** Id of a chain's coin at the source of prices; null when none is configured. */
  coin(chainId: string): string | null;
  /** What an asset costs now; null when that is not known. */
  current(asset: string | null, currency: Currency): Quote;
  /** What a token costs now; null when that is not known, or no id is configured for it. */
  ofToken(token: { readonly chainId: string; readonly address: string }, currency: Currency): Quote;
}

export interface PriceBookOptions {
  readonly chains: Chains;
  readonly store: PriceStore;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
  /** Clock that the book ages by, in milliseconds. Default: a clock that never goes back. */
  readonly nowMs?: () => number;
}

type Page = Map<string, Partial<Record<Currency, Price>>>;

/** Reads the table when it is asked and at most every few seconds: one statement for all, whoever asks meanwhile. */
export function createPriceBook(options: PriceBookOptions): PriceBook {
  const { chains, store, logger, nowSeconds, nowMs = () => performance.now() } = options;
  const assets = pricedAssets(chains.all);
  const ids = configuredIds(chains);
  let page: Page = new Map();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    const startedMs = nowMs();
    page = pageOf(await store.allAt(assets, nowSeconds()));
    readAtMs = startedMs;
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  function current(asset: string | null, currency: Currency): Quote {
    if (asset === null) return null;
    const ageMs = nowMs() - readAtMs;
    if (ageMs > STALE_MS) return readOnce().then(() => page.get(asset)?.[currency] ?? null);
    if (ageMs > FRESH_MS && !reading)
      readOnce().catch((error: unknown) => logger.warn(`prices could not be read: ${messageOf(error)}`));
    return page.get(asset)?.[currency] ?? null;
  }

  return {
    coin: (chainId) => chains.get(chainId)?.networkToken.priceId ?? null,
    current,
    ofToken: ({ chainId, address }, currency) => current(ids.get(chainId)?.get(address) ?? null, currency),
  };
}

function pageOf(prices: Awaited<ReturnType<PriceStore["allAt"]>>): Page {
  const page: Page = new Map();
  for (const { asset, currency, price } of prices) {
    const ofAsset = page.get(asset) ?? {};
    ofAsset[currency] = price;
    page.set(asset, ofAsset);
  }
  return page;
}

/** Ids of tokens by chain and address. */
function configuredIds(chains: Chains): Map<string, Map<string, string>> {
  const idsOf = (ids: Readonly<Record<string, string>>) =>
    new Map(Object.entries(ids).map(([address, id]) => [address.toLowerCase(), id]));
  return new Map(chains.all.map(({ chainId, tokenPriceIds }) => [String(chainId), idsOf(tokenPriceIds)]));
}
