import type { Config } from "../core/config/config-schema.ts";

/** The part of the configured chains and networks that one process indexes. */
export interface Share {
  /** Ids of EVM chains. */
  readonly chainIds: readonly number[];
  /** Ids of primary networks. */
  readonly networkIds: readonly number[];
  /** Whether the process polls for prices. */
  readonly pollsPrices: boolean;
}

type Indexed = Pick<Config, "evmChains" | "primaryNetworks">;

/** All chains and networks. */
export function wholeShare({ evmChains, primaryNetworks }: Indexed): Share {
  return {
    chainIds: evmChains.map(({ chainId }) => chainId),
    networkIds: primaryNetworks.map(({ networkId }) => networkId),
    pollsPrices: true,
  };
}

/**
 * Deals the chains and networks to at most `processes` processes, one after the other in the order of the settings. The first process
 * polls for prices. Empty if nothing is configured.
 */
export function sharesOf(config: Indexed, processes: number): Share[] {
  const { chainIds, networkIds } = wholeShare(config);
  const count = Math.min(processes, chainIds.length + networkIds.length);
  return Array.from({ length: count }, (_, at) => ({
    chainIds: chainIds.filter((_id, i) => i % count === at),
    networkIds: networkIds.filter((_id, i) => (chainIds.length + i) % count === at),
    pollsPrices: at === 0,
  }));
}
