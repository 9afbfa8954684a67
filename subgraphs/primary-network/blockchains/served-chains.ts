import type { Config, EvmChainConfig } from "../../../core/config/config-schema.ts";
import { idText, parseIdParameter } from "../identifiers/ids.ts";
import type { Blockchain } from "./types.ts";

/** Which blockchains the configuration serves as EVM chains. */
export interface ServedChains {
  /**
   * EVM chain ID under which a blockchain is served; null if it is not served. Anyone can create a blockchain with any EVM
   * chain ID, so a match by that ID counts only for a configured chain without `blockchainId`.
   */
  chainIdOf(blockchain: Pick<Blockchain, "network" | "blockchainId" | "evmChainId">): string | null;
  /** Blockchain ID (`0x` hex) of a served EVM chain; null if the configuration does not name it. */
  blockchainOf(chainId: string): { readonly network: EvmChainConfig["network"]; readonly blockchainId: string } | null;
}

export function createServedChains({ evmChains }: Pick<Config, "evmChains">): ServedChains {
  const byBlockchain = new Map(evmChains.map((chain) => [chain.blockchainId, chain]));
  const byChainId = new Map(evmChains.map((chain) => [String(chain.chainId), chain]));
  return {
    chainIdOf({ network, blockchainId, evmChainId }) {
      const configured = byBlockchain.get(idText(blockchainId));
      if (configured) return configured.network === network ? String(configured.chainId) : null;
      const sameId = evmChainId === null ? undefined : byChainId.get(evmChainId);
      return sameId && !sameId.blockchainId && sameId.network === network ? String(sameId.chainId) : null;
    },
    blockchainOf(chainId) {
      const { network, blockchainId } = byChainId.get(chainId) ?? {};
      return network && blockchainId ? { network, blockchainId: parseIdParameter("blockchainId", blockchainId) } : null;
    },
  };
}
