import { ArgsType, Field, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { SortOrder } from "../paging/sort-order.ts";
import { RewardType } from "../utxos/types.ts";

@ObjectType({ description: "What was paid, and what it was worth.", simpleResolvers: true })
export class RewardAmount extends AssetAmount {
  /** When it was paid, and where. */
  rewardTimestamp!: string;
  served!: ServedNetwork;
}

@ObjectType({ description: "A reward that was paid: one output.", simpleResolvers: true })
export class HistoricalReward {
  /** Its network. */
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => [String], { description: "Owners of the output, without a chain before them." })
  addresses!: string[];

  @Field(() => Id, { description: "The transaction that began the stake." })
  txHash!: string;

  @Field(() => Quantity, { description: "The stake, in the smallest unit of what was staked." })
  amountStaked!: string;

  @Field(() => NodeId, { description: "The node that was staked on." })
  nodeId!: string;

  @Field(() => Id, { description: "The subnet; the id of the primary network is all zeros." })
  subnetId!: string;

  @Field(() => Timestamp, { description: "When the stake began." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "When the stake was to end." })
  endTimestamp!: string;

  @Field(() => Timestamp, { description: "When the reward was paid: time of the block that did." })
  rewardTimestamp!: string;

  @Field(() => RewardType, { description: "What it is for." })
  rewardType!: RewardType;

  @Field(() => Id, { description: "Id of the output." })
  utxoId!: string;

  @Field(() => Integer, { description: "Its place among the outputs of the transaction that it is an output of." })
  outputIndex!: string;

  @Field(() => RewardAmount, { description: "Asset and amount." })
  reward!: RewardAmount;

  @Field(() => Id, { description: "The transaction that decided on it." })
  rewardTxHash!: string;
}

@ObjectType({ description: "A page of rewards.", simpleResolvers: true })
export class HistoricalRewardPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [HistoricalReward], {
    description: "By when the stakes ended; those of the latest end first unless asked otherwise.",
  })
  historicalRewards!: HistoricalReward[];
}

@ArgsType()
export class RewardsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    nullable: true,
    description:
      "Only of these owners: addresses with commas between them. One of `addresses` and `nodeIds` must be given.",
  })
  addresses?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Only of stakes on these nodes: node ids with commas between them. With both given, both must match.",
  })
  nodeIds?: string | null;

  @Field(() => SortOrder, { nullable: true, description: "By when the stakes ended. Default: the latest first." })
  sortOrder?: SortOrder | null;
}

/** A list of rewards below a parent. */
@ArgsType()
export class RewardsBelowArgs extends PageArgs({ max: 100, initial: 10 }) {}
