import type { Config } from "../config/config-schema.ts";
import type { Network } from "../config/settings/network.ts";

/** The network whose node interface is served: that of the setting, of the first primary network, of the first EVM chain, or mainnet. */
export function nodeInterfaceNetwork({
  nodeInterface,
  primaryNetworks,
  evmChains,
}: Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">): Network {
  return nodeInterface.network ?? primaryNetworks[0]?.network ?? evmChains[0]?.network ?? "mainnet";
}
