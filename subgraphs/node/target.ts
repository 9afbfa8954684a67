import type { Config } from "../../core/config-schema.ts";
import { ownNetwork } from "../../core/own-network.ts";
import { NETWORK_IDS, type Network } from "../../core/settings/network.ts";

type Settings = Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;

/** Where a node is asked, and with which headers. */
export interface NodeTarget {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
}

/** Id of a network: of the own one as the settings of the node interface say, else by its entry, else by its name. */
export function networkIdOf(settings: Settings, network: Network): number {
  const { nodeInterface, primaryNetworks } = settings;
  if (nodeInterface.networkId !== undefined && network === ownNetwork(settings)) return nodeInterface.networkId;
  return primaryNetworks.find((entry) => entry.network === network)?.networkId ?? NETWORK_IDS[network];
}

/** The node that is asked for a network: that of the settings of the node interface for its own, else that which is indexed. Null for none. */
export function nodeTarget(settings: Settings, network: Network): NodeTarget | null {
  const { askNode, nodeUrl, nodeHeaders } = settings.nodeInterface;
  if (!askNode) return null;
  const isOwn = network === ownNetwork(settings);
  if (isOwn && nodeUrl) return { nodeUrl, nodeHeaders: nodeHeaders ?? {} };
  const entry = settings.primaryNetworks.find((one) => one.network === network);
  // Keys of one node are never sent to another.
  return entry ? { nodeUrl: entry.nodeUrl, nodeHeaders: (isOwn && nodeHeaders) || entry.nodeHeaders } : null;
}
