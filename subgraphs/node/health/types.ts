import { ArgsType, Field, ObjectType } from "type-graphql";
import { Integer, Quantity } from "../../../core/graph/scalars.ts";
import { Json } from "../../shared/schema/output-scalar.ts";

@ObjectType({ description: "Result of the last run of a health check." })
export class HealthCheck {
  @Field(() => String, { description: "Name of the check." })
  name!: string;

  @Field(() => Json, { nullable: true, description: "Details; the shape depends on the check." })
  message!: unknown;

  @Field(() => String, { nullable: true, description: "Reason of the failure. Null if the check passed." })
  error!: string | null;

  @Field(() => String, {
    description: "Time at which the run ended (RFC 3339); `0001-01-01T00:00:00Z` before the first run.",
  })
  timestamp!: string;

  @Field(() => Quantity, { description: "Duration of the run, in nanoseconds." })
  duration!: string;

  @Field(() => Integer, {
    nullable: true,
    description: "Number of consecutive failed runs. Null if the last run passed, and before the first run.",
  })
  contiguousFailures!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Time at which the first of the consecutive failed runs ended (RFC 3339). Null if the last run passed, and before the first run.",
  })
  timeOfFirstFailure!: string | null;

  @Field(() => [String], {
    description:
      "Tags: `application` or, for a check of a chain, the id of the chain's subnet. If the subnet is not known, the EVM chain id. Empty for a check that the upstream node reports for a chain that is not indexed.",
  })
  tags!: string[];
}

@ObjectType({ description: "Last results of health checks." })
export class HealthReport {
  @Field(() => Boolean, { description: "True if no check of this report fails." })
  healthy!: boolean;

  @Field(() => [HealthCheck], { description: "Checks, ordered by name." })
  checks!: HealthCheck[];
}

@ArgsType()
export class HealthArgs {
  @Field(() => [String], {
    nullable: true,
    description:
      "Returns only checks that have one of these tags or the tag `application`. Without tags, or with the tag `all`, every check is returned.",
  })
  tags?: string[] | null;
}
