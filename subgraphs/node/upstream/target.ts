import type { Config } from "../../../core/config/config-schema.ts";
import { NETWORK_IDS, type Network } from "../../../core/config/settings/network.ts";
import { nodeInterfaceNetwork } from "../../../core/networks/node-interface-network.ts";

type Settings = Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;

/** Base URL of a node, and the headers to send to it. */
export interface NodeTarget {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
}

/**
 * Id of a network: `nodeInterface.networkId` if it is set and `/ext/info` serves the network; else the id in the network's
 * entry in `primaryNetworks`; else the id of the public network with this name.
 */
export function networkIdOf(settings: Settings, network: Network): number {
  const { nodeInterface, primaryNetworks } = settings;
  if (nodeInterface.networkId !== undefined && network === nodeInterfaceNetwork(settings))
    return nodeInterface.networkId;
  return primaryNetworks.find((entry) => entry.network === network)?.networkId ?? NETWORK_IDS[network];
}

/**
 * The node whose Info API is read for a network: `nodeInterface.nodeUrl` if it is set and `/ext/info` serves the network, else
 * the node from which the network is indexed. Null if no node is configured, or if `nodeInterface.askNode` is false.
 */
export function nodeTarget(settings: Settings, network: Network): NodeTarget | null {
  const { askNode, nodeUrl, nodeHeaders } = settings.nodeInterface;
  if (!askNode) return null;
  const isServedByInfo = network === nodeInterfaceNetwork(settings);
  if (isServedByInfo && nodeUrl) return { nodeUrl, nodeHeaders: nodeHeaders ?? {} };
  const entry = settings.primaryNetworks.find((one) => one.network === network);
  // `nodeInterface.nodeHeaders` may contain API keys. They are for the node that `/ext/info` uses, never for that of another network.
  return entry ? { nodeUrl: entry.nodeUrl, nodeHeaders: (isServedByInfo && nodeHeaders) || entry.nodeHeaders } : null;
}
