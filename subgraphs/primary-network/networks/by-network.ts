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

/**
 * Returns a function that turns rows of several networks into items, in the order of the rows: `complete` is called once for each network, and
 * returns an item for each of its rows.
 */
export function inEachNetwork<Row extends { readonly networkId: string }, Item>(
  networks: Networks,
  complete: (network: ServedNetwork, rows: readonly Row[], work: Work) => Promise<Item[]>,
): (rows: readonly Row[], work: Work) => Promise<Item[]> {
  return async (rows, work) => {
    const items = new Map<Row, Item>();
    for (const network of await networks.all()) {
      const some = rows.filter(({ networkId }) => networkId === network.networkId);
      const completed = some.length === 0 ? [] : await complete(network, some, work);
      some.forEach((row, at) => void items.set(row, completed[at] as Item));
    }
    return rows.map((row) => items.get(row) as Item);
  };
}
