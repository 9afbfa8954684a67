import type { Config } from "../../../core/config-schema.ts";
import { nodeInterfaceNetwork } from "../../../core/node-interface-network.ts";
import { NETWORK_IDS, type Network } from "../../../core/settings/network.ts";

type Settings = Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;

/** Base URL of a node, and the headers to send to it. */
export interface NodeTarget {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
}

/**
 * Id of a network: from `nodeInterface` if its interface is served, else from its entry in `primaryNetworks`, else by its name.
 */
export function networkIdOf(settings: Settings, network: Network): number {
  const { nodeInterface, primaryNetworks } = settings;
  if (nodeInterface.networkId !== undefined && network === nodeInterfaceNetwork(settings))
    return nodeInterface.networkId;
  return primaryNetworks.find((entry) => entry.network === network)?.networkId ?? NETWORK_IDS[network];
}

/**
 * The node whose Info API is read for a network: the node of `nodeInterface` if its interface is served, else the indexed node.
 * Null if none is configured, or if `askNode` is false.
 */
export function nodeTarget(settings: Settings, network: Network): NodeTarget | null {
  const { askNode, nodeUrl, nodeHeaders } = settings.nodeInterface;
  if (!askNode) return null;
  const isOwn = network === nodeInterfaceNetwork(settings);
  if (isOwn && nodeUrl) return { nodeUrl, nodeHeaders: nodeHeaders ?? {} };
  const entry = settings.primaryNetworks.find((one) => one.network === network);
  // API keys of one node must never be sent to another.
  return entry ? { nodeUrl: entry.nodeUrl, nodeHeaders: (isOwn && nodeHeaders) || entry.nodeHeaders } : null;
}
