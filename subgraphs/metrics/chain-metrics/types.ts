import { ArgsType, Field, ObjectType, registerEnumType } from "type-graphql";
import { PageArgs } from "../../../core/graph/page.ts";
import { Timestamp } from "../../../core/graph/scalars.ts";
import { MAX_PERIODS } from "../activity/types.ts";

/** Figures, with the names of the hosted service. */
export const ChainMetric = {
  avgTps: "avgTps",
  txCount: "txCount",
  gasUsed: "gasUsed",
  feesPaid: "feesPaid",
  activeAddresses: "activeAddresses",
  contracts: "contracts",
  cumulativeTxCount: "cumulativeTxCount",
  cumulativeAddresses: "cumulativeAddresses",
  cumulativeContracts: "cumulativeContracts",
  avgGps: "avgGps",
  avgGasPrice: "avgGasPrice",
} as const;
export type ChainMetric = keyof typeof ChainMetric;

registerEnumType(ChainMetric, {
  name: "ChainMetric",
  description: "A figure of a chain by period. The values have the same names as in REST.",
  valuesConfig: {
    avgTps: { description: "Transactions per second, rounded to two decimals." },
    txCount: { description: "Number of transactions." },
    gasUsed: { description: "Gas used by the blocks, as in their headers; see `EvmBlock.gasUsed`." },
    feesPaid: { description: "Fees paid by the transactions, in the native token's smallest unit." },
    activeAddresses: { description: "Number of different active addresses; see `ChainActivity`." },
    contracts: { description: "Number of contract creations; see `ChainActivity.newContracts`." },
    cumulativeTxCount: { description: "Number of transactions from the genesis to the end of the period." },
    cumulativeAddresses: {
      description: "Number of addresses that were active between the genesis and the end of the period.",
    },
    cumulativeContracts: {
      description:
        "Number of contract creations from the genesis to the end of the period; see `ChainActivity.newContracts`.",
    },
    avgGps: { description: "Gas used per second, rounded to two decimals." },
    avgGasPrice: {
      description: "Fees divided by gas, in the native token's smallest unit, rounded; 0 if no gas was used.",
    },
  },
});

export const TimeInterval = { hour: "hour", day: "day", week: "week", month: "month" } as const;
export type TimeInterval = keyof typeof TimeInterval;

registerEnumType(TimeInterval, {
  name: "TimeInterval",
  description: "Length of a period. The values have the same names as in REST. Periods are in UTC.",
  valuesConfig: {
    hour: { description: "An hour." },
    day: { description: "A day." },
    week: { description: "A week, which begins on Monday." },
    month: { description: "A calendar month." },
  },
});

@ObjectType({ description: "Value of a figure in a period." })
class ChainMetricValue {
  @Field(() => String, { description: "Value, as a decimal number." })
  value!: string;

  @Field(() => Timestamp, { description: "First second of the period." })
  timestamp!: number;
}

@ObjectType({ description: "A page of values." })
export class ChainMetricPage {
  @Field(() => [ChainMetricValue], { description: "Values by period, newest first; no period is left out." })
  results!: ChainMetricValue[];

  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last page." })
  nextPageToken!: string | null;
}

@ArgsType()
export class ChainMetricArgs extends PageArgs({ max: MAX_PERIODS, initial: 10 }) {
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
      "Length of the periods. Default: `day`. For metrics whose name begins with `avg` or `cumulative`, every other length fails with `INVALID_PARAMETER`.",
  })
  timeInterval?: TimeInterval | null;
}
