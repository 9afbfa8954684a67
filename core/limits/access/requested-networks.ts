import type { Config } from "../../config/config-schema.ts";
import { NETWORKS, type Network } from "../../config/settings/network.ts";
import { addressPrefix } from "../../formats/bech32.ts";
import { createChains } from "../../networks/chains.ts";
import { DOCUMENTED_CHAIN_IDS } from "../../networks/primary-chains.ts";

/**
 * The networks whose data a request reads. They follow from its variables: `network`, `chainId`, or `request`, the body of an
 * export. Empty if the variables name nothing that is served.
 */
export type RequestedNetworks = (variables: Readonly<Record<string, unknown>>) => ReadonlySet<Network>;

export function createRequestedNetworks(config: Pick<Config, "evmChains" | "primaryNetworks">): RequestedNetworks {
  const chains = createChains(config);
  const networkOf = (chainId: string): readonly Network[] => {
    const chain = chains.get(chainId);
    return chain ? [chain.network] : [];
  };
  const ofPrimary = primaryNetworksOf(config);
  return ({ network, chainId, request }) => {
    if (typeof network === "string") return new Set([networkNamed(network)]);
    if (typeof chainId === "string") return new Set(networkOf(chainId));
    if (!isObject(request) || !isObject(request["options"])) return new Set();
    const includeChains = textsIn(request["options"]["includeChains"]);
    if (request["type"] === "TRANSACTION_EXPORT_EVM") return new Set(includeChains.flatMap(networkOf));
    return ofPrimary(includeChains, textsIn(request["options"]["addresses"]));
  };
}

/** The graph names networks in upper case. */
function networkNamed(name: string): Network {
  const lower = name.toLowerCase();
  return (lower === "testnet" ? "fuji" : lower) as Network;
}

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null;
const textsIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(String) : []);

/**
 * The networks that blockchain ids or prefixes of addresses name; the graph refuses a request that names several. If nothing
 * names a network, the request may mean any configured network.
 */
function primaryNetworksOf({ primaryNetworks }: Pick<Config, "primaryNetworks">) {
  const all = new Set(primaryNetworks.map(({ network }) => network));
  return (includeChains: readonly string[], addresses: readonly string[]): ReadonlySet<Network> => {
    const ids = new Set(includeChains);
    const prefixes = new Set(addresses.map(prefixOf));
    const byId = NETWORKS.filter((network) => Object.values(DOCUMENTED_CHAIN_IDS[network]).some((id) => ids.has(id)));
    const byPrefix = primaryNetworks.filter(({ networkId }) => prefixes.has(addressPrefix(networkId)));
    const named = new Set([...byId, ...byPrefix.map(({ network }) => network)]);
    return named.size > 0 ? named : all;
  };
}

/** The part of a bech32 address before the 1, without the alias of a chain. */
function prefixOf(address: string): string {
  const text = address.slice(address.indexOf("-") + 1);
  return text.slice(0, text.indexOf("1")).toLowerCase();
}
