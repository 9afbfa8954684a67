import { Field, ObjectType } from "type-graphql";
import { Timestamp } from "../../../core/graph/scalars.ts";
import { ActivityFigures } from "../activity/types.ts";

@ObjectType({ description: "Activity of a chain in the 24 hours up to and including its last indexed block." })
export class RecentChainActivity extends ActivityFigures {
  @Field(() => Timestamp, { description: "Time of the last indexed block." })
  lastBlockTimestamp!: string;
}
