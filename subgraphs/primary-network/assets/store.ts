import { type Database, prepared } from "../../../core/database.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Assets } from "./amounts.ts";
import type { PrimaryNetworkAsset } from "./types.ts";

export interface AssetStore {
  /** The assets with these IDs whose creation is indexed. One statement, even for no IDs. */
  byIds(network: Pick<ServedNetwork, "networkId">, assetIds: Iterable<string>): Promise<Assets>;
}

/** Assets of a network by ID. */
export const ASSETS_BY_ID = `SELECT asset_id AS "assetId", name, symbol, denomination, asset_type AS type, cap,
    create_timestamp AS "createdAtTimestamp"
  FROM primary_assets WHERE network_id = $1 AND asset_id = ANY ($2)`;

export function createAssetStore({ pool }: Pick<Database, "pool">): AssetStore {
  const byIds = prepared<PrimaryNetworkAsset>(pool, "primary-assets", ASSETS_BY_ID);
  return {
    async byIds({ networkId }, assetIds) {
      const rows = await byIds([networkId, byteaArray(assetIds)]);
      return new Map(rows.map((row) => [row.assetId, row]));
    },
  };
}
