import { type Database, prepared } from "../../../core/database/database.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

/** Key of an address. */
export interface AddressKey {
  readonly network: NetworkName;
  /** `0x` hex. */
  readonly address: string;
}

/** The chains on which an address is known. */
export interface ChainsOfAddress extends AddressKey {
  readonly chains: readonly PrimaryChain[];
}

export interface PrimaryAddressStore {
  /** The chains of those of the addresses (`0x` hex) that are known on any. One statement. */
  chainsOf(network: ServedNetwork, addresses: readonly string[], work: Work): Promise<ChainsOfAddress[]>;
}

const OF_NETWORK = "t.network_id = $1";

/**
 * The chains on which each of the addresses `$2` of the network `$1` is known: by a transaction, by an output (also one of the genesis), or
 * by a stake whose rewards it owns.
 */
const CHAINS = `SELECT k.address, string_agg(c.chain, '' ORDER BY c.position) AS chains
  FROM unnest($2::bytea[]) AS k(address), unnest('{P,X,C}'::text[]) WITH ORDINALITY AS c(chain, position)
  WHERE EXISTS (SELECT FROM primary_address_transactions t
      WHERE ${OF_NETWORK} AND t.chain = c.chain AND t.address = k.address)
    OR EXISTS (SELECT FROM utxos t WHERE ${OF_NETWORK} AND t.addresses = ARRAY[k.address] AND t.chain = c.chain
      AND t.created_on_chain = ANY ('{P,X,C}') AND t.consumed_timestamp IS NULL AND cardinality(t.addresses) = 1)
    OR EXISTS (SELECT FROM utxos t WHERE ${OF_NETWORK} AND t.addresses @> ARRAY[k.address] AND t.chain = c.chain
      AND cardinality(t.addresses) <> 1)
    OR c.chain = 'P' AND EXISTS (SELECT FROM staker_owners t WHERE ${OF_NETWORK} AND t.address = k.address)
  GROUP BY k.address`;

export function createPrimaryAddressStore({ pool }: Pick<Database, "pool">): PrimaryAddressStore {
  const read = prepared<{ address: string; chains: string }>(pool, "chains-of-primary-addresses", CHAINS);
  return {
    async chainsOf({ network, networkId }, addresses, work) {
      const rows = await read([networkId, byteaArray(addresses)], work);
      return rows.map(({ address, chains }) => ({ network, address, chains: [...chains] as PrimaryChain[] }));
    },
  };
}
