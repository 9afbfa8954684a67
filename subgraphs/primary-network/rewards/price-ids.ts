import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { nativePriceIds } from "../../../core/networks/prices.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

/** IDs of coins at the price source. */
export interface PriceIds {
  /** ID of AVAX: the coin of the network's C-Chain. Null if that chain or its `priceId` is not configured. */
  avaxOf(network: ServedNetwork): string | null;
}

export function createPriceIds(evmChains: readonly EvmChainConfig[]): PriceIds {
  const byChain = nativePriceIds(evmChains);
  return { avaxOf: ({ cChainId }) => byChain.get(cChainId) ?? null };
}
