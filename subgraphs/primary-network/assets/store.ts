import { type Database, prepared } from "../../../core/database.ts";
import { byteaArray } from "../../shared/rows.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { AssetAmount, NamedAsset, PrimaryNetworkAsset } from "./types.ts";

/** Assets of a network, by id in `0x` hex. */
export type Assets = ReadonlyMap<string, PrimaryNetworkAsset>;

export interface AssetStore {
  /** Those of the assets whose creation is indexed. One statement, also for none. */
  named(network: Pick<ServedNetwork, "networkId">, assetIds: Iterable<string>): Promise<Assets>;
}

/** The assets of a network with these ids. */
export const NAMED = `SELECT asset_id AS "assetId", name, symbol, denomination, asset_type AS type, cap,
    create_timestamp AS "createdAtTimestamp"
  FROM primary_assets WHERE network_id = $1 AND asset_id = ANY ($2)`;

export function createAssetStore({ pool }: Pick<Database, "pool">): AssetStore {
  const named = prepared<PrimaryNetworkAsset>(pool, "primary-assets", NAMED);
  return {
    async named({ networkId }, assetIds) {
      const rows = await named([networkId, byteaArray(assetIds)]);
      return new Map(rows.map((row) => [row.assetId, row]));
    },
  };
}

/** What is known of an asset. */
export function namedAsset(assets: Assets, assetId: string): NamedAsset {
  const { name = "", symbol = "", denomination = 0, type = "secp256k1" } = assets.get(assetId) ?? {};
  return { assetId, name, symbol, denomination, type };
}

/** An amount of it. */
export function assetAmount(assets: Assets, assetId: string, amount: string): AssetAmount {
  const { name = "", symbol = "", denomination = 0, type = "secp256k1" } = assets.get(assetId) ?? {};
  return { assetId, name, symbol, denomination, type, amount };
}

const rankOf = ({ assetId }: AssetAmount, avaxAssetId: string): string => (assetId === avaxAssetId ? "" : assetId);

/** Amounts by asset as answers have them: AVAX first, then by id. An asset that nothing is of is left out. */
export function assetAmounts(
  { avaxAssetId }: Pick<ServedNetwork, "avaxAssetId">,
  assets: Assets,
  amounts: ReadonlyMap<string, bigint>,
): AssetAmount[] {
  const list: AssetAmount[] = [];
  for (const [assetId, amount] of amounts) if (amount > 0n) list.push(assetAmount(assets, assetId, String(amount)));
  if (list.length < 2) return list;
  return list.sort((one, other) => (rankOf(one, avaxAssetId) < rankOf(other, avaxAssetId) ? -1 : 1));
}
