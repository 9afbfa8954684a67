import type { EvmChainConfig } from "../config/config-schema.ts";
import { parseIdText } from "../formats/id-text.ts";

/** Currencies of prices, as in the REST specification. */
export const CURRENCIES = [
  "usd",
  "eur",
  "aud",
  "cad",
  "chf",
  "clp",
  "cny",
  "czk",
  "dkk",
  "gbp",
  "hkd",
  "huf",
  "jpy",
  "nzd",
] as const;

export type Currency = (typeof CURRENCIES)[number];

/** Returns the price ids of all native and other tokens in the configuration, sorted, without duplicates. */
export function pricedAssets(evmChains: readonly EvmChainConfig[]): string[] {
  const ids = evmChains.flatMap(({ networkToken, tokenPriceIds }) => [
    networkToken.priceId ?? [],
    Object.values(tokenPriceIds),
  ]);
  return [...new Set(ids.flat())].sort();
}

/** Price ids of native tokens by blockchain id, in `0x` hex. Chains without a blockchain id or a price id are left out. */
export function nativePriceIds(evmChains: readonly EvmChainConfig[]): ReadonlyMap<string, string> {
  const byChain = new Map<string, string>();
  for (const { blockchainId, networkToken } of evmChains)
    if (blockchainId && networkToken.priceId) byChain.set(`0x${parseIdText(blockchainId)}`, networkToken.priceId);
  return byChain;
}

/**
 * SELECT of the price at each key of `keys`, a set of rows (asset, currency, timestamp): the newest price at or before the
 * timestamp, unless it is more than `maxAge` seconds older. Unknown prices are left out.
 */
export const newestPrices = (keys: string, maxAge: string): string => `SELECT k.asset, k.currency, k.timestamp, p.value
  FROM ${keys} AS k(asset, currency, timestamp), LATERAL (
    SELECT trim_scale(value)::text AS value FROM prices
    WHERE asset = k.asset AND currency = k.currency AND timestamp <= k.timestamp AND timestamp >= k.timestamp - ${maxAge}
    ORDER BY timestamp DESC LIMIT 1
  ) p`;
