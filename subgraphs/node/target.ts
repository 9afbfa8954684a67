import { type Config, NETWORK_IDS, type Network } from "../../core/config-schema.ts";

type Settings = Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;

/** Where a node is asked, and with which headers. */
export interface NodeTarget {
  readonly nodeUrl: string;
  readonly nodeHeaders: Readonly<Record<string, string>>;
}

/** The network whose node interface is served. */
export function ownNetwork({ nodeInterface, primaryNetworks, evmChains }: Settings): Network {
  return nodeInterface.network ?? primaryNetworks[0]?.network ?? evmChains[0]?.network ?? "mainnet";
}

/** Id of a network: by its entry, else by its name. */
export function networkIdOf({ primaryNetworks }: Settings, network: Network): number {
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
