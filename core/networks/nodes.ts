import { defaultNodeName, type NodeSettings } from "../config/settings/nodes.ts";

/** A node of an EVM chain or of a primary network, as the settings name it. */
export interface ConfiguredNode {
  /** What callers of the API may see of it. Distinct among the nodes of the entry. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Path of its URL below the entry of the settings, for messages. */
  readonly setting: string;
}

/** The nodes of an entry of `evmChains` or `primaryNetworks`: those of `nodeUrls`, or the one of `nodeUrl`. */
export type ConfiguredNodes = readonly [ConfiguredNode, ...ConfiguredNode[]];

export function nodesOf({ nodeUrl, nodeHeaders, nodeUrls = [] }: NodeSettings): ConfiguredNodes {
  const nodes = nodeUrls.map(({ url, headers, name }, i) => ({
    name: name ?? defaultNodeName(i),
    url,
    headers,
    setting: `nodeUrls.${i}`,
  }));
  const single = { name: defaultNodeName(0), url: nodeUrl ?? "", headers: nodeHeaders, setting: "nodeUrl" };
  const [first = single, ...others] = nodes;
  return [first, ...others];
}
