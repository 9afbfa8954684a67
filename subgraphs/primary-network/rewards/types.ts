import { ArgsType, Field, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";
import { FungibleAmount } from "../assets/types.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { RewardType } from "../utxos/reward-type.ts";

@ObjectType({ description: "Amount of a reward, with its price when it was paid." })
export class RewardAmount extends FungibleAmount {
  /** Time of payment. */
  rewardTimestamp!: string;
  served!: ServedNetwork;
}

@ObjectType({
  description:
    "A reward that was paid. Each reward is one output. For an auto-renewed validator, times and stake are those of the cycle.",
})
export class HistoricalReward {
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => [String], { description: "Bech32 addresses of the output's owners, without a chain prefix." })
  addresses!: string[];

  @Field(() => Id, { description: "ID of the staking transaction." })
  txHash!: string;

  @Field(() => Quantity, { description: "Stake in the smallest unit of the staked asset." })
  amountStaked!: string;

  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;

  @Field(() => Id, { description: "Subnet ID. The ID of the primary network is all zeros." })
  subnetId!: string;

  @Field(() => Timestamp, { description: "Start time of the stake." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "End time of the stake." })
  endTimestamp!: string;

  @Field(() => Timestamp, { description: "Time of the block that paid the reward." })
  rewardTimestamp!: string;

  @Field(() => RewardType, { description: "Reason for the reward." })
  rewardType!: RewardType;

  @Field(() => Id, { description: "UTXO ID of the output." })
  utxoId!: string;

  @Field(() => Integer, { description: "Index of the output in its transaction." })
  outputIndex!: string;

  @Field(() => RewardAmount, { description: "Asset and amount." })
  reward!: RewardAmount;

  @Field(() => Id, { description: "ID of the transaction that decided on the reward." })
  rewardTxHash!: string;
}

@ObjectType({ description: "A page of rewards." })
export class HistoricalRewardConnection extends Connection(
  HistoricalReward,
  "Rewards by end time of the stake, latest first by default.",
) {}

@InputType({ description: "Filter of rewards. Items fulfil all conditions." })
class RewardFilter {
  @Field(() => [String], {
    nullable: true,
    description: "Reward owners: up to 200 Bech32 addresses. Absent or empty: all.",
  })
  addresses?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Nodes: up to 200 node IDs. Absent or empty: all." })
  nodeIds?: string[] | null;
}

@InputType({ description: "Order of rewards: by the end time of the stake." })
class RewardOrder {
  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}

@ArgsType()
export class RewardsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => RewardFilter, {
    nullable: true,
    description: "Which rewards. Absent: all of the network.",
  })
  filter?: RewardFilter | null;

  @Field(() => RewardOrder, {
    nullable: true,
    description: "Order of the list. Default: latest end of the stake first.",
  })
  orderBy?: RewardOrder | null;
}

/** Arguments of a nested list of rewards. */
@ArgsType()
export class RewardsBelowArgs extends ConnectionArgs({ max: 100, initial: 10 }) {}
