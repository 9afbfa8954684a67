import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { P_CHAIN_ID } from "../blockchains/rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { COLUMNS, type SubnetRow } from "./rows.ts";

interface SubnetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
}

const BY_ID = {
  name: "subnets-by-id",
  table: "subnets",
  columns: `${COLUMNS}, false AS "exceedsSize"`,
  key: { network_id: "bigint", subnet_id: "bytea" },
  valuesOf: ({ networkId, subnetId }: SubnetKey) => [networkId, bytea(subnetId)],
};

/** Returns a function that reads subnets by ID, in any order. The primary network needs no row. At most one statement. */
export function createSubnetsById({ pool }: Pick<Database, "pool">) {
  const byId = createKeyedRows<{ [Name in keyof SubnetRow]: SubnetRow[Name] }, SubnetKey>(pool, BY_ID);
  return async (network: ServedNetwork, subnetIds: readonly string[], work: Work): Promise<SubnetRow[]> => {
    const { networkId } = network;
    const others = subnetIds.filter((subnetId) => subnetId !== P_CHAIN_ID);
    const keys = others.map((subnetId) => ({ networkId, subnetId }));
    const found = keys.length === 0 ? [] : await byId(keys, work);
    return others.length === subnetIds.length ? found : [...found, primaryNetworkRow(network)];
  };
}

/** The primary network, which no transaction created and no row describes. */
function primaryNetworkRow({ genesisTimestamp }: ServedNetwork): SubnetRow {
  return {
    subnetId: P_CHAIN_ID,
    subnetSeq: "-1",
    createBlockIndex: "-1",
    createBlockTimestamp: genesisTimestamp,
    createOwnerAddresses: "",
    createOwnerThreshold: "0",
    createOwnerLocktime: "0",
    ownerAddresses: "",
    ownerThreshold: "0",
    ownerLocktime: "0",
    l1ConversionTransactionHash: null,
    l1ConversionTimestamp: null,
    managerChainId: null,
    managerAddress: null,
    transformTxHash: null,
    stakingAssetId: null,
    currentSupply: null,
    maximumSupply: null,
    minConsumptionRate: null,
    maxConsumptionRate: null,
    exceedsSize: false,
  };
}
