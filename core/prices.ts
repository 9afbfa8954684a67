import type { EvmChainConfig } from "./config-schema.ts";

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
