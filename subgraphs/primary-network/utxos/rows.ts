import { primaryHead } from "../../../core/database/database.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Utxo } from "../../../prisma/client/client.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import type { NestedSelect } from "../../shared/rows/nested-list.ts";
import { bytea, columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import type { RewardType } from "./reward-type.ts";

const NAMES = [
  "utxoId",
  "txHash",
  "outputIndex",
  "assetId",
  "outputType",
  "amount",
  "locktime",
  "threshold",
  "stakeableLocktime",
  "groupId",
  "payload",
  "role",
  "stakeStart",
  "stakeEnd",
  "createdBlockNumber",
  "createdTimestamp",
  "consumedTxHash",
  "consumedBlockNumber",
  "consumedTimestamp",
] as const;

/** A row of `UTXO_COLUMNS`. */
export type UtxoRow = Pick<TextRow<Utxo>, (typeof NAMES)[number]> & {
  readonly rewardType: RewardType | null;
  readonly createdOnChain: PrimaryChain;
  readonly chain: PrimaryChain;
  /** In the form that `byteList` parses. */
  readonly addresses: string;
};

/** SELECT list of an output. */
export const UTXO_COLUMNS = `${columns<TextRow<Utxo>>(...NAMES, "rewardType", "createdOnChain", "chain")},
  ${byteListSql("addresses")} AS addresses`;

/** A row of a list of unspent outputs. */
export type UnspentRow = UtxoRow & { readonly networkId: string };

/** A page of the rows that `where` selects. `k` is the parent with the position. */
const unspentPage = (
  where: string,
  { after, orderBy }: Keyset,
): string => `SELECT network_id AS "networkId", ${UTXO_COLUMNS}
    FROM utxos t WHERE network_id = $1 AND chain = k.chain AND ${where} AND consumed_timestamp IS NULL AND ${after()}
    ORDER BY ${orderBy()}`;

const NEWEST_FIRST = descending({ created_timestamp: "bigint", utxo_id: "bytea" });

/** Names of the columns of the order in rows. */
const NAMED: Readonly<Record<string, string>> = { created_timestamp: '"createdTimestamp"', utxo_id: '"utxoId"' };

/** Options of a nested list of unspent outputs that `chain` can consume, newest first. The parent's key ends with `columns`. */
const unspentList = (name: string, columns: Readonly<Record<string, string>>, select: NestedSelect["select"]) => ({
  name,
  key: { network_id: "bigint", chain: "text", ...columns },
  order: NEWEST_FIRST,
  head: primaryHead("k.chain"),
  select,
  positionOf: ({ createdTimestamp, utxoId }: UnspentRow) => [createdTimestamp ?? "0", bytea(utxoId)],
});

/** Outputs of an address. Those with several owners are in a table of their owners. */
export const UNSPENT_OF_ADDRESS = unspentList(
  "unspent-utxos-of-address",
  { address: "bytea" },
  (keyset) => `SELECT * FROM (
      (${unspentPage("addresses = ARRAY[k.address] AND cardinality(addresses) = 1", keyset)} LIMIT k.size + 1)
      UNION ALL (SELECT shared.* FROM utxo_owners t, LATERAL (
        SELECT network_id AS "networkId", ${UTXO_COLUMNS} FROM utxos u WHERE u.network_id = $1 AND u.utxo_id = t.utxo_id LIMIT 1
      ) shared WHERE t.network_id = $1 AND t.address = k.address AND t.chain = k.chain AND NOT t.is_spent AND ${keyset.after()}
      ORDER BY ${keyset.orderBy()} LIMIT k.size + 1)
    ) both_kinds ORDER BY ${keyset.orderBy((column) => NAMED[column] ?? column)}`,
);

/** Outputs of an asset, of all owners. */
export const UNSPENT_OF_ASSET = unspentList("unspent-utxos-of-asset", { asset_id: "bytea" }, (keyset) =>
  unspentPage("asset_id = k.asset_id", keyset),
);

/** Outputs of a network by ID. */
export const UTXOS_BY_ID = `SELECT ${UTXO_COLUMNS} FROM utxos WHERE network_id = $1 AND utxo_id = ANY ($2)`;
