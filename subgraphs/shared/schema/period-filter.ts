import { Field, InputType } from "type-graphql";
import { Timestamp } from "../../../core/graph/scalars.ts";

@InputType({ description: "Filter of a list of periods. Items fulfil all conditions." })
export class PeriodFilter {
  @Field(() => Timestamp, { nullable: true, description: "Filter by the start of the period: this second or later." })
  fromTime?: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Filter by the start of the period: before this second." })
  toTime?: string | null;
}
