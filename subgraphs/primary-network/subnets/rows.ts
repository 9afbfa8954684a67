import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { P_CHAIN_ID, ZERO_ID } from "../blockchains/rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { idText } from "../identifiers/ids.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { ownershipInfo } from "../ownership/subnet-ownership.ts";
import type { SubnetKind } from "./order.ts";
import type { Subnet } from "./types.ts";

/** A row of `COLUMNS`: IDs in `0x` hex, addresses in the form that `byteList` parses. */
export interface SubnetRow {
  readonly subnetId: string;
  readonly subnetSeq: string;
  readonly createBlockIndex: string;
  readonly createBlockTimestamp: string;
  readonly createOwnerAddresses: string;
  readonly createOwnerThreshold: string;
  readonly createOwnerLocktime: string;
  readonly ownerAddresses: string;
  readonly ownerThreshold: string;
  readonly ownerLocktime: string;
  readonly l1ConversionTransactionHash: string | null;
  readonly l1ConversionTimestamp: string | null;
  readonly managerChainId: string | null;
  readonly managerAddress: string | null;
  readonly transformTxHash: string | null;
  readonly stakingAssetId: string | null;
  readonly currentSupply: string | null;
  readonly maximumSupply: string | null;
  readonly minConsumptionRate: string | null;
  readonly maxConsumptionRate: string | null;
  /** On a page: true if the blockchains of the subnets up to this one exceed the size limit. */
  readonly exceedsSize: boolean;
}

/** SELECT list of a subnet. */
export const COLUMNS = `subnet_id AS "subnetId", subnet_seq AS "subnetSeq", create_block_number AS "createBlockIndex",
  create_timestamp AS "createBlockTimestamp", ${byteListSql("create_owner_addresses")} AS "createOwnerAddresses",
  create_owner_threshold AS "createOwnerThreshold", create_owner_locktime AS "createOwnerLocktime",
  ${byteListSql("owner_addresses")} AS "ownerAddresses", owner_threshold AS "ownerThreshold",
  owner_locktime AS "ownerLocktime", conversion_tx_hash AS "l1ConversionTransactionHash",
  conversion_timestamp AS "l1ConversionTimestamp", manager_chain_id AS "managerChainId",
  manager_address AS "managerAddress", transform_tx_hash AS "transformTxHash", staking_asset_id AS "stakingAssetId",
  current_supply AS "currentSupply", maximum_supply AS "maximumSupply",
  min_consumption_rate AS "minConsumptionRate", max_consumption_rate AS "maxConsumptionRate"`;

/** The primary network as a row of `COLUMNS`, from `primary_networks`: no transaction created it. */
const PRIMARY_COLUMNS = `${ZERO_ID}, -1::bigint, -1::bigint, genesis_timestamp, '', 0::bigint, 0::numeric,
  '', 0::bigint, 0::numeric, NULL::bytea, NULL::bigint, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea,
  NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric`;

/** Approximate size of a blockchain in a response, without its genesis. */
const BLOCKCHAIN_BYTES = 500;

const BYTES = `(SELECT coalesce(sum(octet_length(b.genesis_data) + ${BLOCKCHAIN_BYTES}), 0) FROM blockchains b
  WHERE b.network_id = $1 AND b.subnet_id = page."subnetId")`;

/** The order of subnets: newest first. The primary network is the oldest. */
export const SUBNET_ORDER = descending({ subnet_seq: "bigint" });

const byName = (): string => '"subnetSeq"';

/** Statement for a page of subnets. `exceedsSize`: whether the blockchains up to a subnet exceed `$4` bytes (null: no limit). */
export function pageStatement({ after, orderBy }: Keyset): string {
  return `SELECT page.*,
      $4::bigint IS NOT NULL AND sum(CASE WHEN $4::bigint IS NULL THEN 0 ELSE ${BYTES} END)
        OVER (ORDER BY ${orderBy(byName)}) > $4::bigint AS "exceedsSize"
    FROM (
      (SELECT ${COLUMNS} FROM subnets t WHERE t.network_id = $1 AND ${after()}
        ORDER BY ${orderBy()} LIMIT $3)
      UNION ALL SELECT ${PRIMARY_COLUMNS} FROM primary_networks WHERE network_id = $1 AND ${after(() => "-1")}
      ORDER BY ${orderBy(byName)} LIMIT $3
    ) page ORDER BY ${orderBy(byName)}`;
}

/** What a page of subnets by kind reads: the kinds are `$4`, and the position follows. */
export const KINDS_POSITION_AT = 5;

/**
 * Statement for a page of the subnets of some kinds: `$1` network, `$2` limit, `$3` limit of bytes (as above), `$4` kinds, then the position. The
 * subnets of each kind are one range of an index; those of all are merged.
 */
export function kindsStatement({ after, orderBy }: Keyset): string {
  return `SELECT page.*,
      $3::bigint IS NOT NULL AND sum(CASE WHEN $3::bigint IS NULL THEN 0 ELSE ${BYTES} END)
        OVER (ORDER BY ${orderBy((column) => `page.${column}`)}) > $3::bigint AS "exceedsSize"
    FROM (
      SELECT t.validator_count, t.total_weight, t.subnet_seq, described.* FROM (
        SELECT t.* FROM unnest($4::text[]) AS k(kind), LATERAL (
          SELECT t.subnet_id, t.subnet_seq, t.validator_count, t.total_weight FROM subnet_totals t
          WHERE t.network_id = $1 AND t.kind = k.kind AND ${after()} ORDER BY ${orderBy()} LIMIT $2
        ) t ORDER BY ${orderBy()} LIMIT $2
      ) t, LATERAL (
        SELECT ${COLUMNS} FROM subnets s WHERE s.network_id = $1 AND s.subnet_id = t.subnet_id
        UNION ALL SELECT ${PRIMARY_COLUMNS} FROM primary_networks WHERE network_id = $1 AND t.subnet_seq = -1
      ) described
    ) page ORDER BY ${orderBy((column) => `page.${column}`)}`;
}

/** Subnets of some kinds, for the count, with the same parameters. */
export const countedKindsStatement = ({
  after,
}: Keyset): string => `SELECT t.subnet_seq FROM unnest($4::text[]) AS k(kind), LATERAL (
    SELECT t.subnet_seq FROM subnet_totals t WHERE t.network_id = $1 AND t.kind = k.kind AND ${after()} LIMIT $2
  ) t WHERE $3::bigint IS NULL OR true LIMIT $2`;

/** Kind of a subnet. */
function kindOf({ subnetId, l1ConversionTransactionHash, transformTxHash }: SubnetRow): SubnetKind {
  if (subnetId === P_CHAIN_ID) return "PRIMARY";
  if (l1ConversionTransactionHash !== null) return "L1";
  return transformTxHash === null ? "PERMISSIONED" : "ELASTIC";
}

/** A subnet in the API's form. */
export function subnetFromRow(network: ServedNetwork, row: SubnetRow): Subnet {
  const { subnetId, createBlockIndex, createBlockTimestamp, l1ConversionTransactionHash, l1ConversionTimestamp } = row;
  return {
    networkId: network.networkId,
    network: network.network,
    subnetId,
    createBlockIndex,
    createBlockTimestamp,
    ownerAddresses: byteList(row.createOwnerAddresses).map((address) => addressText(network, address)),
    threshold: Number(row.createOwnerThreshold),
    locktime: row.createOwnerLocktime,
    subnetOwnershipInfo: ownershipInfo(network, {
      locktime: row.ownerLocktime,
      threshold: row.ownerThreshold,
      addresses: byteList(row.ownerAddresses),
    }),
    kind: kindOf(row),
    isL1: l1ConversionTransactionHash !== null,
    l1ConversionTransactionHash,
    l1ConversionTimestamp,
    l1ValidatorManagerDetails:
      row.managerChainId === null || row.managerAddress === null
        ? null
        : {
            network: network.network,
            blockchainId: idText(row.managerChainId),
            contractAddress: row.managerAddress,
          },
    staking: stakingOf(network, row),
  };
}

function stakingOf({ network }: ServedNetwork, row: SubnetRow): Subnet["staking"] {
  const { transformTxHash, stakingAssetId, currentSupply, maximumSupply, minConsumptionRate, maxConsumptionRate } = row;
  if (transformTxHash === null) return null;
  return {
    network,
    transformTxHash,
    stakingAssetId: stakingAssetId ?? "",
    currentSupply: currentSupply ?? "0",
    maximumSupply: maximumSupply ?? "0",
    minConsumptionRate: minConsumptionRate ?? "0",
    maxConsumptionRate: maxConsumptionRate ?? "0",
  };
}
