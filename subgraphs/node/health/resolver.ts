import { Args, Ctx, Query, Resolver, Root, Subscription } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { refuseOnPublic } from "../public.ts";
import { HealthArgs, HealthReport } from "./types.ts";

@Resolver(() => HealthReport)
export class HealthResolver {
  @Query(() => HealthReport, {
    nullable: true,
    description: "The health of this installation and its node. Not on a public server.",
  })
  health(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.health");
    return context.health.health(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description: "Whether it has finished its start, for good. Not on a public server.",
  })
  readiness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.readiness");
    return context.health.readiness(tags ?? null);
  }

  @Query(() => HealthReport, { nullable: true, description: "Whether it answers at all. Not on a public server." })
  liveness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.liveness");
    return context.health.liveness(tags ?? null);
  }

  @Subscription(() => HealthReport, {
    description:
      "Health as it is, and again whenever it, or which checks fail, or why, changes. Not on a public server.",
    subscribe: ({ args, context }) => {
      refuseOnPublic(context, "health.health");
      return context.health.follow(args.tags ?? null);
    },
  })
  healthChanged(@Root() report: HealthReport, @Args(() => HealthArgs) _args: HealthArgs): HealthReport {
    return report;
  }
}
