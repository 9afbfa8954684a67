import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { requireIndexed, UNINDEXED } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { ChainTotals } from "./types.ts";

@Resolver(() => Chain)
export class ChainTotalsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => ChainTotals, {
    nullable: true,
    description: `Counts from the first block after the genesis block to the last indexed block. ${UNINDEXED}`,
  })
  async totals(@Root() { chainId }: Chain, @Ctx() context: MetricsContext): Promise<ChainTotals> {
    return requireIndexed(chainId, await context.load.totals({ chainId }), context);
  }
}
