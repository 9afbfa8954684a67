import type { Config } from "../../../core/config/config-schema.ts";
import { NETWORK_IDS, type Network } from "../../../core/config/settings/network.ts";
import { defaultNodeName } from "../../../core/config/settings/nodes.ts";
import { nodeInterfaceNetwork } from "../../../core/networks/node-interface-network.ts";
import { type ConfiguredNode, nodesOf } from "../../../core/networks/nodes.ts";

type Settings = Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;

/** Base URL of a node, and the headers to send to it. */
export interface NodeTarget {
  /** Distinct among the nodes of the network. */
  readonly name: string;
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
 * The nodes whose Info API is read for a network: `nodeInterface.nodeUrl` if it is set and `/ext/info` serves the network, else
 * the nodes from which the network is indexed. Null if no node is configured, or if `nodeInterface.askNode` is false.
 */
export function nodeTargets(settings: Settings, network: Network): readonly [NodeTarget, ...NodeTarget[]] | null {
  const { askNode, nodeUrl, nodeHeaders } = settings.nodeInterface;
  if (!askNode) return null;
  const isServedByInfo = network === nodeInterfaceNetwork(settings);
  if (isServedByInfo && nodeUrl) return [{ name: defaultNodeName(0), nodeUrl, nodeHeaders: nodeHeaders ?? {} }];
  const entry = settings.primaryNetworks.find((one) => one.network === network);
  // `nodeInterface.nodeHeaders` may contain API keys. They are for the node that `/ext/info` uses, never for that of another network.
  if (!entry) return null;
  const targetOf = ({ name, url, headers, setting }: ConfiguredNode): NodeTarget => ({
    name,
    nodeUrl: url,
    // With several nodes, each gets only its own headers.
    nodeHeaders: (isServedByInfo && setting === "nodeUrl" && nodeHeaders) || headers,
  });
  const [first, ...others] = nodesOf(entry);
  return [targetOf(first), ...others.map(targetOf)];
}
