import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { ServedNetwork } from "./served-network.ts";
import type { Networks } from "./store.ts";

/** Groups keys by network and calls `read` once for each network. The result is in any order. */
export function byEachNetwork<Key extends { readonly network: NetworkName }, Item>(
  networks: Networks,
  read: (network: ServedNetwork, keys: readonly Key[]) => Promise<Item[]>,
): (keys: readonly Key[]) => Promise<Item[]> {
  return async (keys) => {
    const lists = [...new Set(keys.map(({ network }) => network))].map(async (network) =>
      read(
        await networks.require(network),
        keys.filter((key) => key.network === network),
      ),
    );
    return (await Promise.all(lists)).flat();
  };
}

/** As `byEachNetwork`, for keys of a network and one more member: `read` gets the values of that member. */
export function byNetwork<Name extends string, Item>(
  networks: Networks,
  name: Name,
  read: (network: ServedNetwork, values: string[]) => Promise<Item[]>,
): (keys: readonly ({ readonly network: NetworkName } & Readonly<Record<Name, string>>)[]) => Promise<Item[]> {
  return byEachNetwork(networks, (network, keys) =>
    read(
      network,
      keys.map((key) => key[name]),
    ),
  );
}
