import type { Staker } from "../../../prisma/client/client.ts";
import { type Keyset, of } from "../../shared/rows/keyset.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import { columnOf, isInRange, type StakerOrder, type StakerOrderField } from "./order.ts";
import { type StakerKind, statusSql, type ValidationStatus } from "./status.ts";

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

/** What a page is read from: all stakers of the network, those of some subnets or nodes, or those whose rewards some addresses own. */
export type StakerScope = "network" | "subnets" | "nodes" | "owners";

/** The column of the values of a scope. */
const SCOPE_COLUMNS = { subnets: "subnet_id", nodes: "node_id" } as const;

/** Number of the first parameter of the position in the statements of pages. */
export const STAKER_POSITION_AT = 4;

/**
 * Statement for a page of stakers: `$1` network, `$2` kind, `$3` statuses of rows, `$4` and `$5` position, `$6` limit, `$7` wanted status (null:
 * any) at `$8` (seconds), `$9` first value of the order, `$10` value after the last one, `$11` subnets or nodes, `$12` subnet of the nodes (null: any).
 * The rows of each status, and of each subnet or node, are one range of an index; those of all are merged.
 */
export function stakerPageStatement(
  scope: Exclude<StakerScope, "owners">,
  field: StakerOrderField,
  keyset: Keyset,
): string {
  const { column } = columnOf(field);
  const { after, orderBy } = keyset;
  const values = scope === "network" ? "" : "CROSS JOIN unnest($11::bytea[]) AS v(value)";
  const isInScope = scope === "network" ? "" : `AND t.${SCOPE_COLUMNS[scope]} = v.value`;
  const isInSubnet = scope === "nodes" ? "AND ($12::bytea IS NULL OR t.subnet_id = $12)" : "";
  return `SELECT ${STAKER_COLUMNS} FROM (
      SELECT t.tx_hash AS id FROM unnest($3::text[]) AS k(status) ${values}, LATERAL (
        SELECT t.${column}, t.staker_seq, t.tx_hash FROM stakers t
        WHERE t.network_id = $1 AND t.kind = $2 AND t.status = k.status ${isInScope} ${isInSubnet}
          AND ${isInRange(field, "$9", "$10")} AND ${after()}
          AND ($7::text IS NULL OR ${statusSql("$8::bigint")} = $7)
        ORDER BY ${orderBy()} LIMIT $6
      ) t ORDER BY ${orderBy()} LIMIT $6
    ) page JOIN stakers t ON t.network_id = $1 AND t.tx_hash = page.id
    ORDER BY ${orderBy()}`;
}

/** Names of the columns of the order in the rows that are found by an index. */
const FOUND: Readonly<Record<string, string>> = { start_timestamp: "started", staker_seq: "seq" };

/**
 * Statement for a page of the stakers whose rewards some addresses own, by start time. A staker with two of them is listed once. `$3` addresses,
 * `$7` and `$8` as above, `$9` nodes, `$10` subnet (null: any).
 */
export function stakersOfOwnersStatement({ after, orderBy }: Keyset): string {
  const found = orderBy((column) => FOUND[column] ?? column);
  return `SELECT ${STAKER_COLUMNS} FROM (
      SELECT DISTINCT s.start_timestamp AS started, s.staker_seq AS seq, s.tx_hash AS id
      FROM unnest($3::bytea[]) AS k(value), LATERAL (
        SELECT t.start_timestamp, t.staker_seq, t.tx_hash FROM staker_owners o JOIN stakers t USING (tx_hash)
        WHERE o.network_id = $1 AND o.address = k.value AND o.kind = $2 AND t.network_id = $1 AND t.kind = $2
          AND ${after(of("o"))}
          AND ($7::text IS NULL OR ${statusSql("$8::bigint")} = $7)
          AND ($9::bytea[] IS NULL OR t.node_id = ANY ($9)) AND ($10::bytea IS NULL OR t.subnet_id = $10)
        ORDER BY ${orderBy(of("o"))} LIMIT $6
      ) s ORDER BY ${found} LIMIT $6
    ) page JOIN stakers t ON t.network_id = $1 AND t.tx_hash = page.id
    ORDER BY ${orderBy()}`;
}

export interface StakerFilter {
  readonly networkId: string;
  readonly kind: StakerKind;
  /** Reward owners, nodes and subnet in `0x` hex; null: any. Owners are for lists by start time. */
  readonly owners: readonly string[] | null;
  readonly nodes: readonly string[] | null;
  readonly subnet: string | null;
  readonly status: ValidationStatus | null;
  readonly order: StakerOrder;
}

/** The most selective index for a filter. */
export function scopeOf({ owners, nodes, subnet }: StakerFilter): StakerScope {
  if (owners) return "owners";
  if (nodes) return "nodes";
  return subnet ? "subnets" : "network";
}
