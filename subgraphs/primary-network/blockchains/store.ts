import { type Database, prepared } from "../../../core/database.ts";
import { byteaArray } from "../../shared/rows.ts";
import { createWholeList, type WholeList } from "../../shared/whole-list.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { genesisData } from "./genesis-data.ts";
import { COLUMNS, P_CHAIN_COLUMNS, ZERO_ID } from "./rows.ts";
import type { Blockchain } from "./types.ts";

export interface BlockchainStore {
  /** The indexed blockchains with these IDs (`0x` hex), in any order. The P-Chain counts as one. */
  byIds(network: ServedNetwork, blockchainIds: readonly string[]): Promise<Blockchain[]>;
  /** All blockchains of a subnet in order of creation. Per request. */
  ofSubnet(): WholeList<Blockchain>;
  /** The genesis of a blockchain in the API's form: a list of one, or empty for the P-Chain. Per request. */
  genesis(): WholeList<object>;
}

interface Row extends Omit<Blockchain, "key" | "network"> {
  readonly networkId: string;
}

const BY_ID = `SELECT ${COLUMNS} FROM blockchains WHERE network_id = $1 AND blockchain_id = ANY ($2)
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
    ) chains ORDER BY "blockchainSeq"`,
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
  const byIds = prepared<Row>(pool, "blockchains-by-id", BY_ID);
  const complete = async (rows: Row[]): Promise<Blockchain[]> => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) => blockchainFromRow(served.get(row.networkId) as ServedNetwork, row));
  };
  return {
    async byIds(network, blockchainIds) {
      const rows = await byIds([network.networkId, byteaArray(blockchainIds)]);
      return rows.map((row) => blockchainFromRow(network, row));
    },
    ofSubnet: createWholeList(pool, OF_SUBNET, complete),
    genesis: createWholeList(pool, GENESIS, async (rows: { genesis: string }[]) =>
      rows.map(({ genesis }) => genesisData(genesis)),
    ),
  };
}

function blockchainFromRow({ network, networkId }: ServedNetwork, row: Row): Blockchain {
  return { ...row, network, key: { networkId, blockchainId: row.blockchainId } };
}
