import { Args, Ctx, Query, Resolver, Root, Subscription } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { NOT_PUBLIC_RULE, NodeOnly, refuseOnPublic } from "../public-server.ts";
import { HealthArgs, HealthReport } from "./types.ts";

@Resolver(() => HealthReport)
export class HealthResolver {
  @Query(() => HealthReport, {
    nullable: true,
    description: `Health report of this installation and of the upstream node (\`Query.node\`). ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  health(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.health");
    return context.health.health(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description: `Report that becomes healthy when the index of every chain has reached the latest block of its node. If the indexer of a chain waits or has stopped, an index that is at most 100 blocks behind is enough for that chain. Once healthy, the report stays healthy until the process ends, even if a chain falls behind. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  readiness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.readiness");
    return context.health.readiness(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description: `Report that is always healthy: an answer shows that the server is running. ${NOT_PUBLIC_RULE}`,
  })
  @NodeOnly()
  liveness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.liveness");
    return context.health.liveness(tags ?? null);
  }

  @Subscription(() => HealthReport, {
    description: `The current health report, then a report after each change of \`healthy\`, of the set of failing checks, or of their errors. ${NOT_PUBLIC_RULE}`,
    subscribe: ({ args, context }) => {
      refuseOnPublic(context, "health.health");
      return context.health.follow(args.tags ?? null);
    },
  })
  @NodeOnly()
  healthChanged(@Root() report: HealthReport, @Args(() => HealthArgs) _args: HealthArgs): HealthReport {
    return report;
  }
}
