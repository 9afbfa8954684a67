import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { perSecond } from "../activity/averages.ts";
import { readPeriods } from "../activity/pages.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { AverageTpsArgs, AverageTpsConnection, ChainAverageTpsArgs } from "./types.ts";

@Resolver(() => Chain)
export class AverageTpsResolver {
  @RestOnly()
  @Query(() => AverageTpsConnection, {
    description:
      "List the transactions per second of each day of a chain, newest first. `Chain.activity` returns more figures. Fails with `NOT_FOUND` if the chain is not configured, and with `UNAVAILABLE` until its first block after the genesis is indexed.",
  })
  averageTps(
    @Args(() => ChainAverageTpsArgs) args: ChainAverageTpsArgs,
    @Ctx() context: MetricsContext,
  ): Promise<AverageTpsConnection> {
    return pageOfDays(String(context.configuredChains.require(args.chainId).chainId), args, context);
  }

  @RestOnly()
  @Directive("@semanticNonNull")
  @FieldResolver(() => AverageTpsConnection, {
    nullable: true,
    description: `List the transactions per second of each day, newest first. ${UNINDEXED}`,
    name: "averageTps",
  })
  ofChain(
    @Root() { chainId }: Chain,
    @Args(() => AverageTpsArgs) args: AverageTpsArgs,
    @Ctx() context: MetricsContext,
  ): Promise<AverageTpsConnection> {
    return pageOfDays(chainId, args, context);
  }
}

async function pageOfDays(
  chainId: string,
  page: AverageTpsArgs,
  context: MetricsContext,
): Promise<AverageTpsConnection> {
  const request = { list: "averageTps", chainId, interval: "DAY", page } as const;
  const { page: found, headTimestamp } = await readPeriods(request, context);
  const results = found.nodes.map(({ start, transactions, seconds }) => ({
    timestamp: start,
    value: Number(perSecond(transactions, seconds)),
  }));
  return found.withNodes(results).with({ lastRun: headTimestamp });
}
