import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { AssetAmount, NamedAsset, PrimaryNetworkAsset, PrimaryNetworkAssetType } from "./types.ts";

/** Assets of a network by ID in `0x` hex. */
export type Assets = ReadonlyMap<string, PrimaryNetworkAsset>;

/** Name, symbol and denomination of an asset; empty and 0 while its creation is not indexed. */
export function namedAsset(network: NetworkName, assets: Assets, assetId: string): NamedAsset {
  const asset = assets.get(assetId);
  if (!asset) return { network, assetId, name: "", symbol: "", denomination: 0 };
  return { network, assetId: asset.assetId, name: asset.name, symbol: asset.symbol, denomination: asset.denomination };
}

/** An amount of an asset. `type` is the kind of the output; totals count only fungible outputs. */
export function assetAmount(
  network: NetworkName,
  assets: Assets,
  assetId: string,
  amount: string,
  type: PrimaryNetworkAssetType = "secp256k1",
): AssetAmount {
  const { name = "", symbol = "", denomination = 0 } = assets.get(assetId) ?? {};
  return { network, assetId, name, symbol, denomination, type, amount };
}

const sortKey = ({ assetId }: AssetAmount, avaxAssetId: string): string => (assetId === avaxAssetId ? "" : assetId);

/** Sums of fungible outputs by asset: AVAX first, then by ID. Assets with a sum of zero are left out. */
export function assetAmounts(
  { network, avaxAssetId }: Pick<ServedNetwork, "network" | "avaxAssetId">,
  assets: Assets,
  amounts: ReadonlyMap<string, bigint>,
): AssetAmount[] {
  const list: AssetAmount[] = [];
  for (const [assetId, amount] of amounts)
    if (amount > 0n) list.push(assetAmount(network, assets, assetId, String(amount)));
  if (list.length < 2) return list;
  return list.sort((one, other) => (sortKey(one, avaxAssetId) < sortKey(other, avaxAssetId) ? -1 : 1));
}
