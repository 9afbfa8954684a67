import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { parseIdText } from "../../../core/id-text.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

/** IDs of coins at the price source. */
export interface PriceIds {
  /** ID of AVAX: the coin of the network's C-Chain. Null if that chain or its `priceId` is not configured. */
  avaxOf(network: ServedNetwork): string | null;
}

export function createPriceIds(evmChains: readonly EvmChainConfig[]): PriceIds {
  const byChain = new Map<string, string>();
  for (const { blockchainId, networkToken } of evmChains)
    if (blockchainId && networkToken.priceId) byChain.set(`0x${parseIdText(blockchainId)}`, networkToken.priceId);
  return { avaxOf: ({ cChainId }) => byChain.get(cChainId) ?? null };
}
