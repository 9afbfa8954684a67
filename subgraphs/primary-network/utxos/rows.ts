import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Utxo } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
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
const UTXO_COLUMNS = `${columns<TextRow<Utxo>>(...NAMES, "rewardType", "createdOnChain", "chain")},
  ${byteListSql("addresses")} AS addresses`;

/** Outputs of a network by ID. */
export const UTXOS_BY_ID = `SELECT ${UTXO_COLUMNS} FROM utxos WHERE network_id = $1 AND utxo_id = ANY ($2)`;
