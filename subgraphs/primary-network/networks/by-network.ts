import type { Work } from "../../../core/work/work.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { ServedNetwork } from "./served-network.ts";
import type { Networks } from "./store.ts";

/** Groups keys by network and calls `read` once for each network. The result is in any order. */
export function byEachNetwork<Key extends { readonly network: NetworkName }, Item>(
  networks: Networks,
  read: (network: ServedNetwork, keys: readonly Key[], work: Work) => Promise<Item[]>,
): (keys: readonly Key[], work: Work) => Promise<Item[]> {
  return async (keys, work) => {
    const lists = [...new Set(keys.map(({ network }) => network))].map(async (network) =>
      read(
        await networks.require(network),
        keys.filter((key) => key.network === network),
        work,
      ),
    );
    return (await Promise.all(lists)).flat();
  };
}

/** As `byEachNetwork`, for keys of a network and one more member: `read` gets the values of that member. */
export function byNetwork<Name extends string, Item>(
  networks: Networks,
  name: Name,
  read: (network: ServedNetwork, values: string[], work: Work) => Promise<Item[]>,
): (
  keys: readonly ({ readonly network: NetworkName } & Readonly<Record<Name, string>>)[],
  work: Work,
) => Promise<Item[]> {
  return byEachNetwork(networks, (network, keys, work) =>
    read(
      network,
      keys.map((key) => key[name]),
      work,
    ),
  );
}
