import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { averagesOf } from "../activity/averages.ts";
import { requireIndexed, UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { RecentChainActivity } from "./types.ts";

const DAY_SECONDS = 86_400;

@Resolver(() => Chain)
export class Last24HoursResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => RecentChainActivity, {
    nullable: true,
    description: `Activity in the 24 hours up to the last indexed block. It has no number of active addresses: the counts of single hours cannot be added, because an address can be active in several hours. ${UNINDEXED}`,
  })
  async last24Hours(@Root() { chainId }: Chain, @Ctx() context: MetricsContext): Promise<RecentChainActivity> {
    const found = await requireIndexed(chainId, await context.load.last24Hours({ chainId }), context);
    return { ...found, ...averagesOf(found, DAY_SECONDS) };
  }
}
