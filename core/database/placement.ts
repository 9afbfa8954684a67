import type { Config } from "../config/config-schema.ts";

/** The settings that place chains and networks in databases. */
export type PlacedConfig = {
  readonly evmChains: readonly Pick<Config["evmChains"][number], "chainId" | "databaseUrl">[];
  readonly primaryNetworks: readonly Pick<Config["primaryNetworks"][number], "networkId" | "databaseUrl">[];
};

/** Chain id or network id. */
export type PartitionId = string | number | bigint;

/** The URLs of the databases that have the rows of chains and networks (docs/behaviour/cells.md). */
export interface Placement {
  /** The database of the setting `databaseUrl`. It has all rows that belong to no chain. */
  readonly main: string;
  /** The database of an EVM chain. The main database for a chain without one of its own, and for one that is not configured. */
  evm(chainId: PartitionId): string;
  /** The same for a primary network. */
  primary(networkId: PartitionId): string;
  /** All databases, each once. The main database is the first. */
  readonly all: readonly string[];
}

/** Where the rows of each chain and network are, by the settings. `main` is the URL of the main database. */
export function placementOf({ evmChains, primaryNetworks }: PlacedConfig, main: string): Placement {
  const evm = new Map(evmChains.map(({ chainId, databaseUrl = main }) => [String(chainId), databaseUrl]));
  const primary = new Map(primaryNetworks.map(({ networkId, databaseUrl = main }) => [String(networkId), databaseUrl]));
  return {
    main,
    evm: (chainId) => evm.get(String(chainId)) ?? main,
    primary: (networkId) => primary.get(String(networkId)) ?? main,
    all: [...new Set([main, ...evm.values(), ...primary.values()])],
  };
}

/** The settings with only the chains and networks that are in a database. */
export function settingsIn<Settings extends PlacedConfig>(
  config: Settings,
  placement: Placement,
  url: string,
): Settings {
  return {
    ...config,
    evmChains: config.evmChains.filter(({ chainId }) => placement.evm(chainId) === url),
    primaryNetworks: config.primaryNetworks.filter(({ networkId }) => placement.primary(networkId) === url),
  };
}
