import type { Config } from "../../../core/config/config-schema.ts";
import { NETWORK_IDS, NETWORKS, type Network } from "../../../core/config/settings/network.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { addressPrefix } from "../../../core/formats/bech32.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { DOCUMENTED_CHAIN_IDS, P_CHAIN_ID, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";

/** A primary network of the configuration. */
export interface ConfiguredNetwork {
  readonly network: Network;
  readonly networkId: number;
  /** Bech32 prefix of its addresses, without the chain. */
  readonly prefix: string;
}

/** Blockchain ids in CB58. */
export type ChainIds = Readonly<Record<PrimaryChain, string>>;

export interface PrimaryNetworks {
  readonly configured: readonly ConfiguredNetwork[];
  /** The ids of a network's chains. Throws `UNAVAILABLE` while the genesis of a private network is not indexed. */
  chainIds(network: Pick<ConfiguredNetwork, "network" | "networkId">): Promise<ChainIds>;
}

interface Row {
  readonly x: string;
  readonly c: string;
}

const OF_ID = "SELECT x_chain_id AS x, c_chain_id AS c FROM primary_networks WHERE network_id = $1";

/** Keeps the ids of a private network's chains once it has read them, because they never change. */
export function createNetworks(
  { pool }: Pick<Database, "pool">,
  { primaryNetworks }: Pick<Config, "primaryNetworks">,
): PrimaryNetworks {
  const ofId = prepared<Row>(pool, "operations-network-chains", OF_ID);
  const known = new Map<number, ChainIds>(
    NETWORKS.map((network) => [NETWORK_IDS[network], { P: P_CHAIN_ID, ...DOCUMENTED_CHAIN_IDS[network] }]),
  );
  return {
    configured: primaryNetworks.map(({ network, networkId }) => ({
      network,
      networkId,
      prefix: addressPrefix(networkId),
    })),
    async chainIds({ network, networkId }) {
      const found = known.get(networkId);
      if (found) return found;
      const [row] = await ofId([networkId], SERVICE_WORK);
      if (!row)
        throw new Failure(
          "UNAVAILABLE",
          `network ${network} is not indexed yet: the ids of its chains are not in the database yet`,
        );
      const ids = { P: P_CHAIN_ID, X: formatId(row.x.slice(2)), C: formatId(row.c.slice(2)) };
      known.set(networkId, ids);
      return ids;
    },
  };
}
