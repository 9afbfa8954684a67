import { ArgsType, Field, Float, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { Interval } from "../../../core/networks/periods.ts";
import { ActivityInterval, MAX_PERIODS } from "../../shared/schema/activity-interval.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { PeriodFilter } from "../../shared/schema/period-filter.ts";

const RATE =
  "in percent of the stake, before the delegation fee of a validator. It does not include compound interest.";

/** Figures of the P-Chain's state. It is not a type of the graph. */
@ObjectType()
export abstract class StakingFigures {
  @Field(() => Int, { description: "Number of active validators of the primary network." })
  validators!: number;

  @Field(() => Int, { description: "Number of active delegations on the primary network." })
  delegators!: number;

  @Field(() => Quantity, { description: "Stake of the active validators themselves, in nAVAX." })
  validatorStake!: string;

  @Field(() => Quantity, { description: "Stake of the active delegations, in nAVAX." })
  delegatorStake!: string;

  @Field(() => Quantity, {
    description: "Stake of the active validators and delegations of the primary network, in nAVAX.",
  })
  totalStake!: string;

  @Field(() => Quantity, {
    description:
      "AVAX supply as the P-Chain counts it, in nAVAX: it includes the potential rewards of all active stakes, and burned AVAX is not deducted.",
  })
  currentSupply!: string;

  @Field(() => Float, { description: "`totalStake` in percent of `currentSupply`." })
  stakedPercentage!: number;

  @Field(() => Float, {
    nullable: true,
    description: `What the active stakes earn in 365 days, ${RATE} Each stake counts with its potential reward divided by its duration. It can be above \`maximumRewardRate\`, which is for new stakes: the potential reward is fixed when a stake begins, and a stake earns less when the supply is larger. Null without a stake.`,
  })
  averageRewardRate!: number | null;

  @Field(() => Float, {
    description: `What a new stake of a very short duration would earn in 365 days, ${RATE} The rate rises linearly with the duration of the stake.`,
  })
  minimumRewardRate!: number;

  @Field(() => Float, {
    description: `What a new stake earns in 365 days if it lasts a whole minting period (365 days on mainnet and Fuji), ${RATE}`,
  })
  maximumRewardRate!: number;

  @Field(() => Int, { description: "Number of subnets, including those that were converted to L1s." })
  subnets!: number;

  @Field(() => Int, {
    description: "Number of blockchains that were created by transactions. The chains of the genesis are not counted.",
  })
  blockchains!: number;

  @Field(() => Int, { description: "Number of subnets that were converted to L1s." })
  l1s!: number;

  @Field(() => Int, { description: "Number of active L1 validators." })
  activeL1Validators!: number;
}

@ObjectType({ description: "Figures of a primary network after its last indexed P-Chain block." })
export class PrimaryNetworkStatistics extends StakingFigures {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Height of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Time of the block." })
  blockTimestamp!: string;

  @Field(() => Quantity, { description: "Remaining balances of all active L1 validators, in nAVAX." })
  l1ValidatorBalance!: string;
}

@ObjectType({ description: "Activity of one chain of a primary network in a period." })
export class PrimaryChainActivity {
  @Field(() => Quantity, {
    nullable: true,
    description: "Number of blocks. Vertices of the X-Chain count too. Null for the C-Chain: see `Chain.activity`.",
  })
  blocks!: string | null;

  @Field(() => Quantity, {
    description:
      "Number of transactions; on the C-Chain of atomic transactions. A transaction that several blocks contain counts once for each of them.",
  })
  transactions!: string;

  @Field(() => Quantity, {
    description:
      "Fees that the transactions burned, in nAVAX. Amounts added to balances of L1 validators are not included, and on the C-Chain neither are fees of EVM transactions.",
  })
  feesBurned!: string;

  @Field(() => Boolean, { description: "True if a block of the chain after the period is indexed." })
  isComplete!: boolean;

  @Field(() => Boolean, {
    description:
      "True if figures of the X-Chain may belong to another period, because times of its vertices are estimates or not determined yet. False for the other chains.",
  })
  isEstimated!: boolean;
}

@ObjectType({
  description:
    "Activity of a primary network in a period. Figures of stake, supply, subnets and L1s are those after the last indexed P-Chain block before the end of the period.",
})
export class PrimaryNetworkActivity extends StakingFigures {
  @Field(() => Timestamp, { description: "First second of the period." })
  periodStart!: number;

  @Field(() => Timestamp, { description: "First second after the period." })
  periodEnd!: number;

  @Field(() => Boolean, { description: "True if a block after the period is indexed on each indexed chain." })
  isComplete!: boolean;

  @Field(() => Quantity, {
    description:
      "Rewards for staking on the primary network that were paid, in nAVAX. Restaked rewards are not included.",
  })
  rewardsPaid!: string;

  @Field(() => Quantity, {
    description:
      "Fees that active L1 validators paid from their balances, in nAVAX. They are burned. Blocks of the P-Chain charge the fees since the block before.",
  })
  l1ValidatorFees!: string;

  @Field(() => Int, { description: "Number of new subnets." })
  newSubnets!: number;

  @Field(() => Int, { description: "Number of new blockchains." })
  newBlockchains!: number;

  @Field(() => Int, { description: "Number of subnets that were converted to L1s in the period." })
  newL1s!: number;

  @Field(() => PrimaryChainActivity, { description: "Activity of the P-Chain." })
  pChain!: PrimaryChainActivity;

  @Field(() => PrimaryChainActivity, {
    nullable: true,
    description: "Activity of the X-Chain. Null until a block or vertex of it is indexed.",
  })
  xChain!: PrimaryChainActivity | null;

  @Field(() => PrimaryChainActivity, {
    nullable: true,
    description: "Atomic transactions of the C-Chain. Null until a block of it is indexed.",
  })
  cChain!: PrimaryChainActivity | null;
}

@ObjectType({ description: "A page of periods." })
export class PrimaryNetworkActivityConnection extends Connection(
  PrimaryNetworkActivity,
  "Periods, newest first, from that of the genesis to that of the last indexed block. Periods without blocks are listed too.",
) {}

@ArgsType()
export class PrimaryNetworkActivityArgs extends ConnectionArgs({ max: MAX_PERIODS, initial: 10 }) {
  @Field(() => ActivityInterval, { description: "Length of the periods." })
  interval!: Interval;

  @Field(() => PeriodFilter, { nullable: true, description: "Filter of the periods. Default: all periods." })
  filter?: PeriodFilter | null;
}
