import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { requireIndexed } from "../chains/not-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { ChainTotals } from "./types.ts";

@Resolver(() => Chain)
export class ChainTotalsResolver {
  @FieldResolver(() => ChainTotals, {
    nullable: true,
    description:
      "Counts since the genesis block. Null, with the error `UNAVAILABLE`, while the activity of the chain is not indexed.",
  })
  async totals(@Root() { chainId }: Chain, @Ctx() context: MetricsContext): Promise<ChainTotals> {
    return requireIndexed(chainId, await context.load.totals({ chainId }), context);
  }
}
