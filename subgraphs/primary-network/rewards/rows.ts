import type { PrimaryReward } from "../../../prisma/client/client.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";

type Row = TextRow<PrimaryReward>;

const NAMES = [
  "networkId",
  "rewardSeq",
  "utxoId",
  "outputIndex",
  "stakingTxHash",
  "rewardTxHash",
  "rewardType",
  "nodeId",
  "subnetId",
  "amountStaked",
  "startTimestamp",
  "endTimestamp",
  "assetId",
  "amount",
  "rewardTimestamp",
] as const;

/** A row of `REWARD_COLUMNS`. Owners are in the form that `byteList` parses. */
export type RewardRow = Pick<Row, (typeof NAMES)[number]> & { readonly owners: string };

/** SELECT list of a reward `t`. */
export const REWARD_COLUMNS = `${columns<Row>(...NAMES)}, ${byteListSql("t.addresses")} AS owners`;

/** What a page is read from: all rewards of the network, or those of some nodes or owners. */
export type RewardScope = "network" | "nodes" | "owners";

/** The index that the rows of each node or owner are read from, in order; then those of all are merged. */
const SCOPES: Readonly<Record<Exclude<RewardScope, "network">, string>> = {
  nodes: "primary_rewards t WHERE t.network_id = $1 AND t.node_id = k.value",
  owners:
    "reward_owners t WHERE t.network_id = $1 AND t.address = k.value AND ($6::bytea[] IS NULL OR t.node_id = ANY ($6))",
};

/** Latest end of the stake first. */
export const REWARD_ORDER = descending({ end_timestamp: "bigint", reward_seq: "bigint" });

/** Number of the first parameter of the position. */
export const REWARD_POSITION_AT = 2;

/** Names of the columns of the order in the rows that are found by an index. */
const FOUND: Readonly<Record<string, string>> = { end_timestamp: "ended", reward_seq: "seq" };

/**
 * Statement for a page of rewards: `$1` network, `$2` and `$3` position, `$4` limit, `$5` nodes or owners, `$6` nodes of the owners (null: any). A
 * reward that matches several owners is listed once.
 */
export function rewardsStatement(scope: RewardScope, { after, orderBy }: Keyset): string {
  if (scope === "network")
    return `SELECT ${REWARD_COLUMNS} FROM primary_rewards t WHERE t.network_id = $1 AND ${after()} ORDER BY ${orderBy()} LIMIT $4`;
  return `SELECT ${REWARD_COLUMNS} FROM (
      SELECT DISTINCT s.end_timestamp AS ended, s.reward_seq AS seq FROM unnest($5::bytea[]) AS k(value), LATERAL (
        SELECT t.end_timestamp, t.reward_seq FROM ${SCOPES[scope]}
          AND ${after()}
        ORDER BY ${orderBy()} LIMIT $4
      ) s ORDER BY ${orderBy((column) => FOUND[column] ?? column)} LIMIT $4
    ) page JOIN primary_rewards t ON t.reward_seq = page.seq WHERE t.network_id = $1
    ORDER BY ${orderBy()}`;
}
