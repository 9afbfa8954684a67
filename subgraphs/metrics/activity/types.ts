import { ArgsType, Field, Float, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { Interval } from "../../../core/networks/periods.ts";
import { ActivityInterval, MAX_PERIODS } from "../../shared/schema/activity-interval.ts";
import { PeriodFilter } from "../../shared/schema/period-filter.ts";
import type { ActivityRow } from "./store.ts";

/** Figures of any span of time. It is not a type of the graph. */
@ObjectType()
export abstract class ActivityFigures implements Omit<ActivityRow, "periodStart" | "activeAddresses"> {
  @Field(() => Quantity, { description: "Number of blocks." })
  blocks!: string;

  @Field(() => Quantity, { description: "Number of transactions, failed ones included." })
  transactions!: string;

  @Field(() => Quantity, { description: "Gas used by the blocks, as in their headers; see `EvmBlock.gasUsed`." })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Fees paid by the transactions, in the native token's smallest unit." })
  feesSpent!: string;

  @Field(() => Quantity, {
    description: "Number of addresses that were active on the chain for the first time; see `ChainActivity`.",
  })
  newAddresses!: string;

  @Field(() => Quantity, {
    description:
      "Number of contract creations. For blocks without call trees (capability `TRACES`), only contracts that a transaction creates directly are counted.",
  })
  newContracts!: string;

  @Field(() => Quantity, { description: "Number of ERC-20 transfers." })
  erc20Transfers!: string;

  @Field(() => Float, { description: "Transactions per second, rounded to two decimals." })
  averageTps!: number;

  @Field(() => Float, { description: "Gas used per second, rounded to two decimals." })
  averageGasPerSecond!: number;

  @Field(() => Quantity, {
    nullable: true,
    description: "Fees divided by gas, in the native token's smallest unit, rounded; null if no gas was used.",
  })
  averageGasPrice!: string | null;
}

@ObjectType({
  description:
    "Activity of a chain in a period. The genesis block belongs to no period. An address is active if it sends or receives a transaction, or if a transaction creates it directly.",
})
class ChainActivity extends ActivityFigures {
  @Field(() => Timestamp, { description: "First second of the period." })
  periodStart!: number;

  @Field(() => Timestamp, { description: "First second after the period." })
  periodEnd!: number;

  @Field(() => Boolean, {
    description:
      "True if a block after the period is indexed. The averages of an incomplete period are computed from its start to the last indexed block.",
  })
  isComplete!: boolean;

  @Field(() => Quantity, { description: "Number of different active addresses." })
  activeAddresses!: string;
}

@ObjectType({ description: "A page of periods." })
export class ChainActivityConnection extends Connection(
  ChainActivity,
  "Periods, newest first. A period without blocks is listed with zeros; its `averageGasPrice` is null.",
) {}

@ArgsType()
export class ChainActivityArgs extends ConnectionArgs({ max: MAX_PERIODS, initial: 10 }) {
  @Field(() => ActivityInterval, { description: "Length of the periods." })
  interval!: Interval;

  @Field(() => PeriodFilter, { nullable: true, description: "Filter of the periods. Default: all periods." })
  filter?: PeriodFilter | null;
}
