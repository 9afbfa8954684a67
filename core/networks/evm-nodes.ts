import type { EvmChainConfig } from "../config/config-schema.ts";
import { defaultNodeName } from "../config/settings/evm-chain.ts";

/** A node of an EVM chain, as the settings name it. */
export interface EvmNode {
  /** What callers of the API may see of it. Distinct among the nodes of the chain. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Path of its URL below the entry of `evmChains`, for messages. */
  readonly setting: string;
}

export type EvmNodeSettings = Pick<EvmChainConfig, "nodeUrl" | "nodeHeaders" | "nodeUrls">;

/** The nodes of an entry of `evmChains`: those of `nodeUrls`, or the one of `nodeUrl`. There is at least one. */
export function evmNodesOf({ nodeUrl, nodeHeaders, nodeUrls }: EvmNodeSettings): readonly EvmNode[] {
  if (nodeUrl !== undefined)
    return [{ name: defaultNodeName(0), url: nodeUrl, headers: nodeHeaders, setting: "nodeUrl" }];
  return (nodeUrls ?? []).map(({ url, headers, name }, i) => ({
    name: name ?? defaultNodeName(i),
    url,
    headers,
    setting: `nodeUrls.${i}`,
  }));
}
