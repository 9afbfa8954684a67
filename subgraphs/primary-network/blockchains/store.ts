import { type Database, prepared } from "../../../core/database.ts";
import { byteaArray } from "../../shared/rows.ts";
import { createWholeList, type WholeList } from "../../shared/whole-list.ts";
import type { Networks, ServedNetwork } from "../networks/store.ts";
import { genesisData } from "./genesis-data.ts";
import { COLUMNS, P_CHAIN_COLUMNS, ZERO_ID } from "./rows.ts";
import type { Blockchain } from "./types.ts";

/** As text and as `0x` hex. */
export interface BlockchainKey {
  readonly networkId: string;
  readonly blockchainId: string;
}

export interface BlockchainStore {
  /** Those of the blockchains (`0x` hex) that are indexed, the P-Chain among them. */
  named(network: ServedNetwork, blockchainIds: readonly string[]): Promise<Blockchain[]>;
  /** All of a subnet, in the order of their creation. Made for each request. */
  ofSubnet(): WholeList<Blockchain>;
  /** What answers say of a blockchain's genesis: a list of one, and of none for the P-Chain. Made for each request. */
  genesis(): WholeList<object>;
}

interface Row extends Omit<Blockchain, "key" | "network"> {
  readonly networkId: string;
}

const NAMED = `SELECT ${COLUMNS} FROM blockchains WHERE network_id = $1 AND blockchain_id = ANY ($2)
  UNION ALL SELECT ${P_CHAIN_COLUMNS} FROM primary_networks WHERE network_id = $1 AND ${ZERO_ID} = ANY ($2)`;

const OF_SUBNET = {
  name: "blockchains-of-subnet",
  key: { network_id: "bigint", subnet_id: "bytea" },
  position: { blockchain_seq: "bigint" },
  start: ["-2"],
  select: `SELECT * FROM (
      SELECT ${COLUMNS} FROM blockchains t WHERE t.network_id = k.network_id AND t.subnet_id = k.subnet_id
        AND t.blockchain_seq > k.blockchain_seq
      UNION ALL SELECT ${P_CHAIN_COLUMNS} FROM primary_networks t
      WHERE t.network_id = k.network_id AND k.subnet_id = ${ZERO_ID} AND k.blockchain_seq < -1
    ) all_of_it ORDER BY "blockchainSeq"`,
};

const GENESIS = {
  name: "blockchain-genesis",
  key: { network_id: "bigint", blockchain_id: "bytea" },
  position: {},
  start: [],
  select: `SELECT t.genesis_data AS genesis FROM blockchains t
    WHERE t.network_id = k.network_id AND t.blockchain_id = k.blockchain_id`,
};

export function createBlockchainStore({ pool }: Pick<Database, "pool">, networks: Networks): BlockchainStore {
  const named = prepared<Row>(pool, "blockchains-by-id", NAMED);
  const complete = async (rows: Row[]): Promise<Blockchain[]> => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) => shown(served.get(row.networkId) as ServedNetwork, row));
  };
  return {
    async named(network, blockchainIds) {
      const rows = await named([network.networkId, byteaArray(blockchainIds)]);
      return rows.map((row) => shown(network, row));
    },
    ofSubnet: createWholeList(pool, OF_SUBNET, complete),
    genesis: createWholeList(pool, GENESIS, async (rows: { genesis: string }[]) =>
      rows.map(({ genesis }) => genesisData(genesis)),
    ),
  };
}

function shown({ network, networkId }: ServedNetwork, row: Row): Blockchain {
  return { ...row, network, key: { networkId, blockchainId: row.blockchainId } };
}
