import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { parseIdText } from "../../../core/id-text.ts";
import type { ServedNetwork } from "../networks/store.ts";

/** What coins are called at the source of prices. */
export interface Coins {
  /** The id of AVAX: that of the network's C-Chain, whose coin it is. Null where none is configured. */
  avaxOf(network: ServedNetwork): string | null;
}

export function createCoins(evmChains: readonly EvmChainConfig[]): Coins {
  const byChain = new Map<string, string>();
  for (const { blockchainId, networkToken } of evmChains)
    if (blockchainId && networkToken.priceId) byChain.set(`0x${parseIdText(blockchainId)}`, networkToken.priceId);
  return { avaxOf: ({ cChainId }) => byChain.get(cChainId) ?? null };
}
