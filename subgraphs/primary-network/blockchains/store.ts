import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { createWholeList, type WholeList } from "../../shared/rows/whole-list.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { genesisData } from "./genesis-data.ts";
import { COLUMNS, P_CHAIN_COLUMNS, P_CHAIN_ID, PLATFORM_VM_ID, ZERO_ID } from "./rows.ts";
import type { Blockchain, BlockchainKey } from "./types.ts";

export interface BlockchainStore {
  /** The indexed blockchains with these IDs (`0x` hex), including the P-Chain, in any order. */
  byIds(network: ServedNetwork, blockchainIds: readonly string[], work: Work): Promise<Blockchain[]>;
  /** All blockchains of a subnet in order of creation. Call once per request. */
  ofSubnet(work: Work): WholeList<Blockchain>;
  /** The genesis of a blockchain in the API's form: a list of one, or empty for the P-Chain. Call once per request. */
  genesis(work: Work): WholeList<object>;
}

interface Row extends Omit<Blockchain, "key" | "network"> {
  readonly networkId: string;
}

const OF_SUBNET = {
  name: "blockchains-of-subnet",
  key: { network_id: "bigint", subnet_id: "bytea" },
  order: ascending({ blockchain_seq: "bigint" }),
  select: ({ after, orderBy }: Keyset) => `SELECT * FROM (
      SELECT ${COLUMNS} FROM blockchains t WHERE t.network_id = $1 AND t.subnet_id = k.subnet_id AND ${after()}
      UNION ALL SELECT ${P_CHAIN_COLUMNS} FROM primary_networks t
      WHERE t.network_id = $1 AND k.subnet_id = ${ZERO_ID} AND ${after(() => "-1")}
    ) chains ORDER BY ${orderBy(() => '"blockchainSeq"')}`,
};

/** Without the genesis, which can have megabytes and is read only when it is selected. */
const BY_ID = {
  name: "blockchains-by-id",
  table: "blockchains",
  columns: COLUMNS,
  key: { network_id: "bigint", blockchain_id: "bytea" },
  valuesOf: ({ networkId, blockchainId }: BlockchainKey) => [networkId, bytea(blockchainId)],
};

const GENESIS = {
  name: "blockchain-genesis",
  key: { network_id: "bigint", blockchain_id: "bytea" },
  order: ascending({}),
  select: () => `SELECT t.genesis_data AS genesis FROM blockchains t
    WHERE t.network_id = $1 AND t.blockchain_id = k.blockchain_id`,
};

export function createBlockchainStore({ pool }: Pick<Database, "pool">, networks: Networks): BlockchainStore {
  const byIds = createKeyedRows<Row, BlockchainKey>(pool, BY_ID);
  const complete = async (rows: Row[]): Promise<Blockchain[]> => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) => blockchainFromRow(served.get(row.networkId) as ServedNetwork, row));
  };
  return {
    async byIds(network, blockchainIds, work) {
      const { networkId } = network;
      const rows = await byIds(
        blockchainIds.map((blockchainId) => ({ networkId, blockchainId })),
        work,
      );
      const found = rows.map((row) => blockchainFromRow(network, row));
      return blockchainIds.includes(P_CHAIN_ID) ? [...found, pChain(network)] : found;
    },
    ofSubnet: createWholeList(pool, OF_SUBNET, complete),
    genesis: createWholeList(pool, GENESIS, async (rows: { genesis: string }[]) =>
      rows.map(({ genesis }) => genesisData(genesis)),
    ),
  };
}

/** The P-Chain, which no transaction created and no row describes. */
function pChain(network: ServedNetwork): Blockchain {
  return blockchainFromRow(network, {
    networkId: network.networkId,
    blockchainId: P_CHAIN_ID,
    createBlockTimestamp: network.genesisTimestamp,
    createBlockNumber: "-1",
    vmId: PLATFORM_VM_ID,
    subnetId: P_CHAIN_ID,
    blockchainName: "P-Chain",
    evmChainId: null,
  });
}

function blockchainFromRow({ network, networkId }: ServedNetwork, row: Row): Blockchain {
  return { ...row, network, key: { networkId, blockchainId: row.blockchainId } };
}
