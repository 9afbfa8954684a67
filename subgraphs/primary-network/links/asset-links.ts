import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { AssetAmount, type NamedAsset, PrimaryNetworkAsset } from "../assets/types.ts";
import { AssetBalance, SharedAssetBalance } from "../balances/types.ts";
import type { PrimaryContext } from "../context.ts";
import { PrimaryNetwork } from "../networks/types.ts";
import { RewardAmount } from "../rewards/types.ts";
import { SubnetStaking } from "../subnets/types.ts";

/** Makes the resolver class of the field `asset` of a type. */
function linkToAsset(Type: new () => NamedAsset) {
  @Resolver(() => Type)
  class AssetLink {
    @FieldResolver(() => PrimaryNetworkAsset, {
      nullable: true,
      description: "The asset. Null while its creation is not indexed.",
    })
    asset(
      @Root() { network, assetId }: NamedAsset,
      @Ctx() { load }: PrimaryContext,
    ): Promise<PrimaryNetworkAsset | null> {
      return load.asset({ network, assetId });
    }
  }
  return AssetLink;
}

@Resolver(() => SubnetStaking)
class StakingAssetLink {
  @FieldResolver(() => PrimaryNetworkAsset, {
    nullable: true,
    description: "The staked asset. Null while its creation is not indexed.",
  })
  stakingAsset(
    @Root() { network, stakingAssetId: assetId }: SubnetStaking,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkAsset | null> {
    return load.asset({ network, assetId });
  }
}

@Resolver(() => PrimaryNetwork)
class AvaxLink {
  @FieldResolver(() => PrimaryNetworkAsset, {
    nullable: true,
    description: "The asset AVAX. Null until the genesis is indexed.",
  })
  async avaxAsset(
    @Root() { network, avaxAssetId }: PrimaryNetwork,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkAsset | null> {
    if (avaxAssetId === null) return null;
    const served = await networks.require(network);
    return load.asset({ network, assetId: served.avaxAssetId });
  }
}

/** The links to assets. */
export const ASSET_LINKS = [
  ...[AssetAmount, AssetBalance, SharedAssetBalance, RewardAmount].map(linkToAsset),
  StakingAssetLink,
  AvaxLink,
];
