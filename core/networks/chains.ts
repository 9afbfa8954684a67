import type { Config, EvmChainConfig } from "../config/config-schema.ts";
import { Failure, quoted } from "../errors/errors.ts";
import { parseId } from "../formats/cb58.ts";

/** The configured EVM chains, found by EVM chain id or blockchain id. */
export interface Chains {
  readonly all: readonly EvmChainConfig[];
  /** The chain that a caller's `chainId` names (EVM chain id, or blockchain id as CB58 or hex). Throws `NOT_FOUND`. */
  require(chainId: string): EvmChainConfig;
  /** Like `require`, but returns null if no such chain is configured. */
  get(chainId: string): EvmChainConfig | null;
}

/** Builds the lookup table once from the configuration. */
export function createChains(config: Pick<Config, "evmChains">): Chains {
  const known = new Map<string, EvmChainConfig>();
  for (const chain of config.evmChains) {
    known.set(String(chain.chainId), chain);
    if (chain.blockchainId) known.set(chain.blockchainId, chain);
  }
  const get = (chainId: string) => known.get(chainId) ?? known.get(parseId(chainId) ?? "") ?? null;
  return {
    all: config.evmChains,
    get,
    require(chainId) {
      const chain = get(chainId);
      if (!chain)
        throw new Failure(
          "NOT_FOUND",
          `chainId ${quoted(chainId)} is not a supported chain: the list of chains has the supported ones`,
        );
      return chain;
    },
  };
}
