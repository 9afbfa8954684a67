import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { CurrencyCode, Price } from "../../shared/prices/price.ts";
import type { PrimaryContext } from "../context.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { HistoricalReward, HistoricalRewardConnection, RewardAmount, RewardsArgs } from "./types.ts";

@Resolver(() => HistoricalReward)
export class HistoricalRewardResolver {
  @Query(() => HistoricalRewardConnection, { description: "Paid rewards, latest end of the stake first by default." })
  rewards(
    @Args(() => RewardsArgs) args: RewardsArgs,
    @Ctx() { rewards, work }: PrimaryContext,
  ): Promise<HistoricalRewardConnection> {
    return rewards.page(args, work);
  }

  @FieldResolver(() => PrimaryNetworkUtxo, { nullable: true, description: "Output that paid the reward." })
  utxo(
    @Root() { served, utxoId }: HistoricalReward,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxo | null> {
    return load.utxo({ network: served.network, utxoId });
  }

  @FieldResolver(() => ValidatorNode, { description: "Node, with all its validations." })
  node(@Root() { served, nodeId }: HistoricalReward): ValidatorNode {
    return { served, network: served.network, nodeId };
  }
}

@Resolver(() => RewardAmount)
export class RewardAmountResolver {
  @FieldResolver(() => Price, {
    nullable: true,
    description: "Price of one whole unit of the asset when the reward was paid. Null if not known.",
  })
  historicalPrice(
    @Root() { served, assetId, rewardTimestamp }: RewardAmount,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the price." })
    currency: CurrencyCode,
    @Ctx() { priceIds, load }: PrimaryContext,
  ): Promise<Price | null> | null {
    const asset = assetId === served.avaxAssetId ? priceIds.avaxOf(served) : null;
    if (asset === null) return null;
    return load.price({ asset, currency, timestamp: rewardTimestamp }).then((known) => known?.price ?? null);
  }
}
