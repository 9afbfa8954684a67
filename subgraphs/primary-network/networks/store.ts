import type { Config } from "../../../core/config-schema.ts";
import type { Network } from "../../../core/settings/network.ts";
import { type Database, prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import type { NetworkName } from "../../shared/network-name.ts";
import { columns } from "../../shared/rows.ts";

/** A primary network that is served. Ids are `0x` hex. */
export interface ServedNetwork {
  /** Its name here; a network of one's own bears that of the network whose place it takes. */
  readonly network: Network;
  /** As parameters of statements take it. */
  readonly networkId: string;
  /** Bech32 prefix of its addresses, without the chain. */
  readonly hrp: string;
  /** Seconds since the epoch. */
  readonly genesisTimestamp: string;
  readonly xChainId: string;
  readonly cChainId: string;
  readonly avaxAssetId: string;
}

export interface Networks {
  /** The configured network of that name. Throws `NOT_FOUND` when there is none, `UNAVAILABLE` before its genesis is indexed. */
  find(name: NetworkName): Promise<ServedNetwork>;
  /** As `find`, but null where it would throw `NOT_FOUND`. */
  get(name: NetworkName): Promise<ServedNetwork | null>;
  /** Every configured network that has rows. */
  all(): Promise<ServedNetwork[]>;
}

type Row = Omit<ServedNetwork, "network">;

interface Standing {
  readonly chain: string;
  readonly state: string;
  readonly reason: string;
}

const OF_ID = `SELECT ${columns<Row>("networkId", "hrp", "genesisTimestamp", "xChainId", "cChainId", "avaxAssetId")}
  FROM primary_networks WHERE network_id = $1`;

/** Why there is nothing yet, by the first chain that says so. */
const STANDING = `SELECT chain, state, reason FROM primary_progress WHERE network_id = $1 AND reason IS NOT NULL
  ORDER BY position(chain IN 'PXC') LIMIT 1`;

/** What a network's genesis says never changes: it is read once, when it is there. */
export function createNetworks({ pool }: Database, { primaryNetworks }: Pick<Config, "primaryNetworks">): Networks {
  const ofId = prepared<Row>(pool, "primary-network", OF_ID);
  const standingOf = prepared<Standing>(pool, "primary-network-standing", STANDING);
  const configured = new Map(primaryNetworks.map(({ network, networkId }) => [network, networkId]));
  const known = new Map<Network, ServedNetwork>();
  const reading = new Map<Network, Promise<ServedNetwork | null>>();
  const readOnce = async (network: Network): Promise<ServedNetwork | null> => {
    const [row] = await ofId([configured.get(network)]).finally(() => reading.delete(network));
    if (!row) return null;
    const found = { network, ...row };
    known.set(network, found);
    return found;
  };
  // Requests that come together ask together.
  const read = (network: Network): Promise<ServedNetwork | null> => {
    const row = reading.get(network) ?? readOnce(network);
    reading.set(network, row);
    return row;
  };
  const get = async (name: NetworkName): Promise<ServedNetwork | null> => {
    const network = name === "testnet" ? "fuji" : name;
    if (!configured.has(network)) return null;
    const found = known.get(network) ?? (await read(network));
    if (found) return found;
    const [standing] = await standingOf([configured.get(network)]);
    const why = standing ? `: chain ${standing.chain} is ${standing.state}, ${standing.reason}` : "";
    throw new Failure("UNAVAILABLE", `network ${network} is configured, and nothing of it is indexed yet${why}`);
  };
  return {
    get,
    async find(name) {
      const found = await get(name);
      if (found) return found;
      const served = [...configured.keys()].join(", ") || "none";
      throw new Failure("NOT_FOUND", `network ${name} is not served here, served: ${served}`);
    },
    async all() {
      const found = await Promise.all([...configured.keys()].map((network) => known.get(network) ?? read(network)));
      return found.filter((one) => one !== null);
    },
  };
}

/** Reads keys network by network: `read` gets those of one network. For a batch. */
export function byEachNetwork<Key extends { readonly network: NetworkName }, Item>(
  networks: Networks,
  read: (network: ServedNetwork, keys: readonly Key[]) => Promise<Item[]>,
): (keys: readonly Key[]) => Promise<Item[]> {
  return async (keys) => {
    const lists = [...new Set(keys.map(({ network }) => network))].map(async (network) =>
      read(
        await networks.find(network),
        keys.filter((key) => key.network === network),
      ),
    );
    return (await Promise.all(lists)).flat();
  };
}

/** The same where keys are values of one name: `read` gets the values. */
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
