import { ArgsType, Field, ObjectType } from "type-graphql";
import { Integer, Quantity } from "../../../core/scalars.ts";
import { Json } from "../scalars.ts";

@ObjectType({ description: "What the last run of a check found.", simpleResolvers: true })
export class HealthCheck {
  @Field(() => String, { description: "Name of the check." })
  name!: string;

  @Field(() => Json, { nullable: true, description: "What it saw; its shape is the check's own." })
  message!: unknown;

  @Field(() => String, { nullable: true, description: "Why it failed; null when it passed." })
  error!: string | null;

  @Field(() => String, { description: "When it ended, as RFC 3339; `0001-01-01T00:00:00Z` before the first run." })
  timestamp!: string;

  @Field(() => Quantity, { description: "How long it took, in nanoseconds." })
  duration!: string;

  @Field(() => Integer, { nullable: true, description: "Runs in a row that failed; null when there are none." })
  contiguousFailures!: number | null;

  @Field(() => String, { nullable: true, description: "When the first of them ended; null when there are none." })
  timeOfFirstFailure!: string | null;

  @Field(() => [String], { description: "What it belongs to: `application`, or the id of a subnet." })
  tags!: string[];
}

@ObjectType({ description: "The last results of health checks.", simpleResolvers: true })
export class HealthReport {
  @Field(() => Boolean, { description: "Whether none of these checks fails." })
  healthy!: boolean;

  @Field(() => [HealthCheck], { description: "By their names." })
  checks!: HealthCheck[];
}

@ArgsType()
export class HealthArgs {
  @Field(() => [String], {
    nullable: true,
    description:
      "Only checks with one of these tags, and those of the application. `all`, no tag and none given: every check.",
  })
  tags?: string[] | null;
}
