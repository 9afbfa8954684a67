import type { Staker } from "../../../prisma/client/client.ts";
import { descending, type Keyset, of } from "../../shared/rows/keyset.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import { possibleStatuses, type StakerKind, statusSql, type ValidationStatus } from "./status.ts";

type Row = TextRow<Staker>;

const NAMES = [
  "networkId",
  "txHash",
  "stakerSeq",
  "kind",
  "status",
  "isPermissioned",
  "subnetId",
  "nodeId",
  "weight",
  "startTimestamp",
  "endTimestamp",
  "shares",
  "blsPublicKey",
  "blsProofOfPossession",
  "validatorTxHash",
  "stakeAssetId",
  "rewardOwner",
  "shareOwner",
  "potentialReward",
  "accruedShare",
  "rewardTxHash",
  "isRewarded",
  "endedTimestamp",
  "removeTxHash",
  "paidReward",
  "paidShare",
  "nextPeriod",
  "restakedReward",
  "restakedShare",
] as const;

/** Key of a validation or delegation: the ID of its staking transaction, in `0x` hex. */
export interface StakerKey {
  readonly networkId: string;
  readonly txHash: string;
}

/** A row of `STAKER_COLUMNS`. */
export type StakerRow = Pick<Row, (typeof NAMES)[number]> & {
  /** In the form that `byteList` parses. */
  readonly rewardAddresses: string;
  /** For a delegator: the validator's fee in millionths. */
  readonly validatorShares: number | null;
};

/** SELECT list of a staker `t`. */
export const STAKER_COLUMNS = `${columns<Row>(...NAMES)}, ${byteListSql("t.reward_addresses")} AS "rewardAddresses",
  (SELECT v.shares FROM stakers v WHERE v.network_id = $1 AND v.tx_hash = t.validator_tx_hash) AS "validatorShares"`;

/** The index that a page is read from. The rows of each filter value are read in order, then those of all values are merged. */
export type StakerScope = "nodes" | "subnets" | "owners" | "statuses";

const SCOPES: Readonly<Record<StakerScope, { readonly type: string; readonly rows: string; readonly order: string }>> =
  {
    nodes: { type: "bytea", rows: "stakers t WHERE t.node_id = k.value", order: "t" },
    subnets: { type: "bytea", rows: "stakers t WHERE t.subnet_id = k.value", order: "t" },
    statuses: { type: "text", rows: "stakers t WHERE t.status = k.value", order: "t" },
    owners: {
      type: "bytea",
      rows: `staker_owners o JOIN stakers t USING (tx_hash)
      WHERE o.network_id = $1 AND o.address = k.value AND o.kind = $2`,
      order: "o",
    },
  };

/** The order of stakers: latest start first. */
export const STAKER_ORDER = descending({ start_timestamp: "bigint", staker_seq: "bigint" });

/** Number of the first parameter of the position in `stakerPageStatement`. */
export const STAKER_POSITION_AT = 4;

/** Names of the columns of the order in the rows that are found by an index. */
const FOUND: Readonly<Record<string, string>> = { start_timestamp: "started", staker_seq: "seq" };

/** Statement for a page of stakers by start time. A staker that matches two values, such as two owners, is listed once. */
export function stakerPageStatement(scope: StakerScope, { after, orderBy }: Keyset): string {
  const { type, rows, order: by } = SCOPES[scope];
  const found = orderBy((column) => FOUND[column] ?? column);
  return `SELECT ${STAKER_COLUMNS} FROM (
      SELECT DISTINCT s.start_timestamp AS started, s.staker_seq AS seq, s.tx_hash AS id
      FROM unnest($3::${type}[]) AS k(value), LATERAL (
        SELECT t.start_timestamp, t.staker_seq, t.tx_hash FROM ${rows} AND t.network_id = $1 AND t.kind = $2
          AND ${after(of(by))}
          AND ($7::text IS NULL OR ${statusSql("$8::bigint")} = $7)
          AND ($9::bytea[] IS NULL OR t.node_id = ANY ($9)) AND ($10::bytea IS NULL OR t.subnet_id = $10)
        ORDER BY ${orderBy(of(by))} LIMIT $6
      ) s ORDER BY ${found} LIMIT $6
    ) page JOIN stakers t ON t.network_id = $1 AND t.tx_hash = page.id
    ORDER BY ${orderBy()}`;
}

export interface StakerFilter {
  readonly networkId: string;
  readonly kind: StakerKind;
  /** Reward owners, nodes and subnet in `0x` hex; null: any. */
  readonly owners: readonly string[] | null;
  readonly nodes: readonly string[] | null;
  readonly subnet: string | null;
  readonly status: ValidationStatus | null;
}

/** The most selective index for a filter, and the values to read in it. */
export function scopeOf({ kind, owners, nodes, subnet, status }: StakerFilter): [StakerScope, readonly string[]] {
  if (owners) return ["owners", owners];
  if (nodes) return ["nodes", nodes];
  if (subnet) return ["subnets", [subnet]];
  return ["statuses", possibleStatuses(kind, status)];
}
