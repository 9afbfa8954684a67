import { Args, Ctx, Query, Resolver, Root, Subscription } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { refuseOnPublic } from "../public-server.ts";
import { HealthArgs, HealthReport } from "./types.ts";

@Resolver(() => HealthReport)
export class HealthResolver {
  @Query(() => HealthReport, {
    nullable: true,
    description: "Health of this installation and of its node. Not available on a public server.",
  })
  health(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.health");
    return context.health.health(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description: "Whether the first indexing has finished; once true, it stays true. Not available on a public server.",
  })
  readiness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.readiness");
    return context.health.readiness(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description: "Whether the server answers at all. Not available on a public server.",
  })
  liveness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.liveness");
    return context.health.liveness(tags ?? null);
  }

  @Subscription(() => HealthReport, {
    description:
      "The current health, then each change: of the result, of the failing checks, or of their errors. Not available on a public server.",
    subscribe: ({ args, context }) => {
      refuseOnPublic(context, "health.health");
      return context.health.follow(args.tags ?? null);
    },
  })
  healthChanged(@Root() report: HealthReport, @Args(() => HealthArgs) _args: HealthArgs): HealthReport {
    return report;
  }
}
