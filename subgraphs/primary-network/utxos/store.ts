import { type Database, prepared } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { AssetStore } from "../assets/store.ts";
import { byteaParameter } from "../identifiers/byte-lists.ts";
import { inEachNetwork } from "../networks/by-network.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { utxosFromRows } from "./from-row.ts";
import { UNSPENT_OF_ADDRESS, UNSPENT_OF_ASSET, type UnspentRow, UTXOS_BY_ID, type UtxoRow } from "./rows.ts";
import type { PrimaryNetworkUtxo } from "./types.ts";

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

export interface UnspentUtxoStore {
  /**
   * Unspent outputs of an address that a chain can consume, newest first. Parent key: network ID, chain, address as BYTEA. Call once per
   * request.
   */
  ofAddress(work: Work): NestedList<PrimaryNetworkUtxo>;
  /** Like `ofAddress`, for an asset. */
  ofAsset(work: Work): NestedList<PrimaryNetworkUtxo>;
}

export interface UnspentUtxoStoreDeps {
  readonly database: Pick<Database, "pool">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly assets: AssetStore;
}

export function createUnspentUtxoStore({
  database: { pool },
  pageTokens,
  networks,
  assets,
}: UnspentUtxoStoreDeps): UnspentUtxoStore {
  const fromRows = inEachNetwork(networks, (network, rows: readonly UnspentRow[], work) =>
    utxosFromRows(network, assets, rows, work),
  );
  return {
    ofAddress: createNestedList(pool, pageTokens, UNSPENT_OF_ADDRESS, fromRows),
    ofAsset: createNestedList(pool, pageTokens, UNSPENT_OF_ASSET, fromRows),
  };
}
