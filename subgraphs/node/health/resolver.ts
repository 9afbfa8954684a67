import { Args, Ctx, Query, Resolver, Root, Subscription } from "type-graphql";
import type { NodeContext } from "../context.ts";
import { refuseOnPublic } from "../public-server.ts";
import { HealthArgs, HealthReport } from "./types.ts";

@Resolver(() => HealthReport)
export class HealthResolver {
  @Query(() => HealthReport, {
    nullable: true,
    description:
      "Health report of this installation and of the upstream node (`Query.node`). Fails with `NOT_PUBLIC` if the setting `nodeInterface.public` is true.",
  })
  health(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.health");
    return context.health.health(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description:
      "Report that becomes healthy when the index of every chain has reached the latest block of its node. It stays healthy while the process runs, even if a chain falls behind later. For a chain whose indexer waits or has stopped, an index at most 100 blocks behind is enough. Fails with `NOT_PUBLIC` if the setting `nodeInterface.public` is true.",
  })
  readiness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.readiness");
    return context.health.readiness(tags ?? null);
  }

  @Query(() => HealthReport, {
    nullable: true,
    description:
      "Report that is always healthy: an answer shows that the server is running. Fails with `NOT_PUBLIC` if the setting `nodeInterface.public` is true.",
  })
  liveness(@Args(() => HealthArgs) { tags }: HealthArgs, @Ctx() context: NodeContext): HealthReport {
    refuseOnPublic(context, "health.liveness");
    return context.health.liveness(tags ?? null);
  }

  @Subscription(() => HealthReport, {
    description:
      "The current health report, then a report after each change of `healthy`, of the set of failing checks, or of their errors. Fails with `NOT_PUBLIC` if the setting `nodeInterface.public` is true.",
    subscribe: ({ args, context }) => {
      refuseOnPublic(context, "health.health");
      return context.health.follow(args.tags ?? null);
    },
  })
  healthChanged(@Root() report: HealthReport, @Args(() => HealthArgs) _args: HealthArgs): HealthReport {
    return report;
  }
}
