import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { averagesOf } from "./averages.ts";
import { readPeriods } from "./pages.ts";
import { ChainActivityArgs, ChainActivityConnection } from "./types.ts";

@Resolver(() => Chain)
export class ChainActivityResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => ChainActivityConnection, {
    nullable: true,
    description: `List the activity of the chain by hour, day, week or month, newest first. ${UNINDEXED}`,
  })
  async activity(
    @Root() { chainId }: Chain,
    @Args(() => ChainActivityArgs) page: ChainActivityArgs,
    @Ctx() context: MetricsContext,
  ): Promise<ChainActivityConnection> {
    const { interval, filter } = page;
    const request = { list: "activity", chainId, interval, from: filter?.fromTime, to: filter?.toTime, page };
    const { page: found } = await readPeriods(request, context);
    const periods = found.nodes.map(({ start, end, ...period }) => ({
      ...period,
      ...averagesOf(period, period.seconds),
      periodStart: start,
      periodEnd: end,
    }));
    return found.withNodes(periods);
  }
}
