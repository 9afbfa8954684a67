import { LRUCache } from "lru-cache";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Assets } from "./amounts.ts";
import type { PrimaryNetworkAsset } from "./types.ts";

export interface AssetStore {
  /**
   * The assets with these IDs whose creation is indexed. One statement for those that are not in memory: those read for the first time, and those
   * that are not indexed. They are kept until the process ends, because the indexer never changes an asset. Only a new version that rebuilds the
   * rows might store others: then restart the processes of the API, too.
   */
  byIds(network: Pick<ServedNetwork, "network" | "networkId">, assetIds: Iterable<string>, work: Work): Promise<Assets>;
}

type AssetRow = Omit<PrimaryNetworkAsset, "network">;

/** Assets of a network by ID. */
export const ASSETS_BY_ID = `SELECT asset_id AS "assetId", name, symbol, denomination, asset_type AS type, cap,
    create_timestamp AS "createdAtTimestamp"
  FROM primary_assets WHERE network_id = $1 AND asset_id = ANY ($2)`;

/** Number of assets of all networks that are kept. When there are more, all are forgotten. */
const MAX_KEPT = 10_000;

export function createAssetStore({ pool }: Pick<Database, "pool">): AssetStore {
  const read = prepared<AssetRow>(pool, "primary-assets", ASSETS_BY_ID);
  const kept = new LRUCache<string, PrimaryNetworkAsset>({ max: MAX_KEPT });
  const keyOf = (networkId: string, assetId: string): string => `${networkId} ${assetId}`;
  return {
    async byIds({ network, networkId }, assetIds, work) {
      const found = new Map<string, PrimaryNetworkAsset>();
      const missing: string[] = [];
      for (const assetId of assetIds) {
        const asset = kept.get(keyOf(networkId, assetId));
        if (asset) found.set(asset.assetId, asset);
        else missing.push(assetId);
      }
      if (missing.length === 0) return found;
      for (const row of await read([networkId, byteaArray(missing)], work)) {
        const asset = { ...copyOf(row), network };
        found.set(asset.assetId, asset);
        kept.set(keyOf(networkId, asset.assetId), asset);
      }
      return found;
    },
  };
}

/** The texts of a row are parts of a longer text, all of which they would keep in memory. */
function copyOf(row: AssetRow): AssetRow {
  return JSON.parse(JSON.stringify(row)) as AssetRow;
}
