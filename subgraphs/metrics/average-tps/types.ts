import { ArgsType, Field, Float, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Timestamp } from "../../../core/graph/scalars.ts";
import { MAX_PERIODS } from "../../shared/schema/activity-interval.ts";

@ObjectType({ description: "Transactions per second of a day." })
class AverageTps {
  @Field(() => Timestamp, { description: "Start of the day, in UTC." })
  timestamp!: number;

  @Field(() => Float, {
    description:
      "Transactions per second, rounded to two decimals. For the day of the last indexed block, the average up to that block.",
  })
  value!: number;
}

@ObjectType({ description: "A page of daily averages." })
export class AverageTpsConnection extends Connection(
  AverageTps,
  "Days, newest first. Days without blocks have the value 0.",
) {
  @Field(() => Timestamp, { description: "Time of the last indexed block." })
  lastRun!: number;
}

@ArgsType()
export class AverageTpsArgs extends ConnectionArgs({ max: MAX_PERIODS, initial: 10 }) {}

@ArgsType()
export class ChainAverageTpsArgs extends AverageTpsArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;
}
