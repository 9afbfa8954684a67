import type { Config, EvmChainConfig } from "../../../core/config-schema.ts";
import { idText, parseIdParameter } from "../identifiers/ids.ts";
import type { Blockchain } from "./types.ts";

/** Which blockchains are served as EVM chains, by the configuration. */
export interface ServedChains {
  /**
   * EVM chain id under which a blockchain is served; null when it is not. Anybody can create a chain with any EVM chain
   * id, so that the id alone decides only where the configuration does not say which blockchain it is.
   */
  chainIdOf(blockchain: Pick<Blockchain, "network" | "blockchainId" | "evmChainId">): string | null;
  /** The blockchain (`0x` hex) that a served EVM chain is; null when the configuration does not say. */
  blockchainOf(chainId: string): { readonly network: EvmChainConfig["network"]; readonly blockchainId: string } | null;
}

export function createServedChains({ evmChains }: Pick<Config, "evmChains">): ServedChains {
  const byBlockchain = new Map(evmChains.map((chain) => [chain.blockchainId, chain]));
  const byChainId = new Map(evmChains.map((chain) => [String(chain.chainId), chain]));
  return {
    chainIdOf({ network, blockchainId, evmChainId }) {
      const said = byBlockchain.get(idText(blockchainId));
      if (said) return said.network === network ? String(said.chainId) : null;
      const alike = evmChainId === null ? undefined : byChainId.get(evmChainId);
      return alike && !alike.blockchainId && alike.network === network ? String(alike.chainId) : null;
    },
    blockchainOf(chainId) {
      const { network, blockchainId } = byChainId.get(chainId) ?? {};
      return network && blockchainId ? { network, blockchainId: parseIdParameter("blockchainId", blockchainId) } : null;
    },
  };
}
