import type { EvmChainConfig } from "./config-schema.ts";

/** The currencies that prices are kept and asked in, as the contract spells them. */
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

/** Ids at the source of prices that the configuration names for coins and tokens, each once, in order. */
export function pricedAssets(evmChains: readonly EvmChainConfig[]): string[] {
  const named = evmChains.flatMap(({ networkToken, tokenPriceIds }) => [
    networkToken.priceId ?? [],
    Object.values(tokenPriceIds),
  ]);
  return [...new Set(named.flat())].sort();
}
