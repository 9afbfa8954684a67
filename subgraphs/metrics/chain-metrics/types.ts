import { ArgsType, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Timestamp } from "../../../core/graph/scalars.ts";
import { MAX_PERIODS } from "../../shared/schema/activity-interval.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";

/** Figures, with the names of the hosted service. */
export const ChainMetric = graphEnum({
  name: "ChainMetric",
  description: "A figure of a chain by period.",
  values: {
    avgTps: "Transactions per second, rounded to two decimals.",
    txCount: "Number of transactions.",
    gasUsed: "Gas used by the blocks, as in their headers; see `EvmBlock.gasUsed`.",
    feesPaid: "Fees paid by the transactions, in the native token's smallest unit.",
    activeAddresses: "Number of different active addresses; see `ChainActivity`.",
    contracts: "Number of contract creations; see `ChainActivity.newContracts`.",
    cumulativeTxCount: "Number of transactions from the genesis to the end of the period.",
    cumulativeAddresses: "Number of addresses that were active between the genesis and the end of the period.",
    cumulativeContracts:
      "Number of contract creations from the genesis to the end of the period; see `ChainActivity.newContracts`.",
    avgGps: "Gas used per second, rounded to two decimals.",
    avgGasPrice: "Fees divided by gas, in the native token's smallest unit, rounded; 0 if no gas was used.",
  },
});
export type ChainMetric = (typeof ChainMetric)[string];

export const TimeInterval = graphEnum({
  name: "TimeInterval",
  description: "Length of a period. Periods are in UTC.",
  values: {
    hour: "An hour.",
    day: "A day.",
    week: "A week, which begins on Monday.",
    month: "A calendar month.",
  },
});
export type TimeInterval = (typeof TimeInterval)[string];

@ObjectType({ description: "Value of a figure in a period." })
class ChainMetricValue {
  @Field(() => String, { description: "Value, as a decimal number." })
  value!: string;

  @Field(() => Timestamp, { description: "First second of the period." })
  timestamp!: number;
}

@ObjectType({ description: "A page of values." })
export class ChainMetricConnection extends Connection(
  ChainMetricValue,
  "Values by period, newest first; no period is left out.",
) {}

@ArgsType()
export class ChainMetricArgs extends ConnectionArgs({ max: MAX_PERIODS, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => ChainMetric, { description: "The figure." })
  metric!: ChainMetric;

  @Field(() => Timestamp, { nullable: true, description: "Only periods that start at this time or later." })
  startTimestamp?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Only periods that start before this time." })
  endTimestamp?: string | null;

  @Field(() => TimeInterval, {
    nullable: true,
    description:
      "Length of the periods. Default: `DAY`. For metrics whose name begins with `AVG` or `CUMULATIVE`, every other length fails with `INVALID_PARAMETER`.",
  })
  timeInterval?: TimeInterval | null;
}
