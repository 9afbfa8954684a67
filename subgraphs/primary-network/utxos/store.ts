import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import { byteaParameter } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { UTXOS_BY_ID, type UtxoRow } from "./rows.ts";

export interface UtxoStore {
  /** The indexed outputs with these IDs (`0x` hex), in any order. One statement, even for no IDs. */
  byIds(network: Pick<ServedNetwork, "networkId">, utxoIds: Iterable<string>, work: Work): Promise<UtxoRow[]>;
  /** The same for IDs in lists, in the form that `byteList` parses. */
  ofLists(network: Pick<ServedNetwork, "networkId">, lists: readonly string[], work: Work): Promise<UtxoRow[]>;
}

export function createUtxoStore({ pool }: Pick<Database, "pool">): UtxoStore {
  const byIds = prepared<UtxoRow>(pool, "primary-utxos", UTXOS_BY_ID);
  return {
    byIds: ({ networkId }, utxoIds, work) => byIds([networkId, byteaArray(utxoIds)], work),
    ofLists: ({ networkId }, lists, work) => byIds([networkId, byteaParameter(lists)], work),
  };
}
