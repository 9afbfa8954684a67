import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { CurrencyCode, Price } from "../../shared/price.ts";
import type { PrimaryContext } from "../context.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { HistoricalReward, HistoricalRewardPage, RewardAmount, RewardsArgs } from "./types.ts";

@Resolver(() => HistoricalReward)
export class HistoricalRewardResolver {
  @Query(() => HistoricalRewardPage, { description: "Rewards that were paid, by when the stakes ended." })
  rewards(
    @Args(() => RewardsArgs) args: RewardsArgs,
    @Ctx() { rewards }: PrimaryContext,
  ): Promise<HistoricalRewardPage> {
    return rewards.page(args);
  }

  @FieldResolver(() => PrimaryNetworkUtxo, { nullable: true, description: "The output, and what became of it." })
  utxo(
    @Root() { served, utxoId }: HistoricalReward,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxo | null> {
    return load.utxo({ network: served.network, utxoId });
  }

  @FieldResolver(() => ValidatorNode, { description: "The node, with all that it ever validated." })
  node(@Root() { served, nodeId }: HistoricalReward): ValidatorNode {
    return { served, network: served.network, nodeId };
  }
}

@Resolver(() => RewardAmount)
export class RewardAmountResolver {
  @FieldResolver(() => Price, {
    nullable: true,
    description: "What a whole unit of the asset cost when the reward was paid; null when that is not known.",
  })
  historicalPrice(
    @Root() { served, assetId, rewardTimestamp }: RewardAmount,
    @Arg("currency", () => CurrencyCode, { defaultValue: CurrencyCode.usd, description: "Currency of the price." })
    currency: CurrencyCode,
    @Ctx() { coins, load }: PrimaryContext,
  ): Promise<Price | null> | null {
    const asset = assetId === served.avaxAssetId ? coins.avaxOf(served) : null;
    if (asset === null) return null;
    return load.price({ asset, currency, timestamp: rewardTimestamp }).then((known) => known?.price ?? null);
  }
}
