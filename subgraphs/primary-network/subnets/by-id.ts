import type { Database } from "../../../core/database.ts";
import type { Prisma } from "../../../prisma/client/client.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import { P_CHAIN_ID } from "../blockchains/rows.ts";
import { byteListText } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { SubnetRow } from "./rows.ts";

interface SubnetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
}

/** Returns a function that reads subnets by ID, in any order. The primary network needs no row. At most one statement. */
export function createSubnetsById({ prisma }: Pick<Database, "prisma">) {
  const byId = createRowsById({
    partitionOf: ({ networkId }: SubnetKey) => networkId,
    idOf: ({ subnetId }) => bytes(subnetId),
    where: (networkId, subnetIds) => ({ networkId, subnetId: { in: subnetIds } }),
    findMany: (OR: Prisma.SubnetWhereInput[]) => prisma.subnet.findMany({ where: { OR } }),
  });
  return async (network: ServedNetwork, subnetIds: readonly string[]): Promise<SubnetRow[]> => {
    const { networkId } = network;
    const others = subnetIds.filter((subnetId) => subnetId !== P_CHAIN_ID);
    const rows = others.length === 0 ? [] : await byId(others.map((subnetId) => ({ networkId, subnetId })));
    const found = rows.map((row) => ({
      ...row,
      createBlockIndex: row.createBlockNumber,
      createBlockTimestamp: row.createTimestamp,
      createOwnerAddresses: byteListText(row.createOwnerAddresses),
      ownerAddresses: byteListText(row.ownerAddresses),
      l1ConversionTransactionHash: row.conversionTxHash,
      l1ConversionTimestamp: row.conversionTimestamp,
      exceedsSize: false,
    }));
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
