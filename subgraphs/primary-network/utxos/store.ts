import { type Database, prepared } from "../../../core/database.ts";
import type { Utxo } from "../../../prisma/client/client.ts";
import { byteaArray, columns, type TextRow } from "../../shared/rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import type { PrimaryChain } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { RewardType } from "./types.ts";

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

/** An output as it is read. */
export type UtxoRow = Pick<TextRow<Utxo>, (typeof NAMES)[number]> & {
  readonly rewardType: RewardType | null;
  readonly createdOnChain: PrimaryChain;
  readonly chain: PrimaryChain;
  /** As `byteList` reads it. */
  readonly addresses: string;
};

/** SELECT list of an output. */
export const UTXO_COLUMNS = `${columns<TextRow<Utxo>>(...NAMES, "rewardType", "createdOnChain", "chain")},
  ${byteListSql("addresses")} AS addresses`;

/** The outputs of a network with these ids. */
export const NAMED = `SELECT ${UTXO_COLUMNS} FROM utxos WHERE network_id = $1 AND utxo_id = ANY ($2)`;

export interface UtxoStore {
  /** The outputs of these ids (`0x` hex), in any order. One statement, also for none. */
  named(network: Pick<ServedNetwork, "networkId">, utxoIds: Iterable<string>): Promise<UtxoRow[]>;
}

export function createUtxoStore({ pool }: Pick<Database, "pool">): UtxoStore {
  const named = prepared<UtxoRow>(pool, "primary-utxos", NAMED);
  return { named: ({ networkId }, utxoIds) => named([networkId, byteaArray(utxoIds)]) };
}
