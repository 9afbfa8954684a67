import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { Erc20HolderConnection } from "../holders/types.ts";
import { readHoldersAbove } from "./pages.ts";
import { Erc20HoldersAboveArgs, HoldersAboveArgs } from "./types.ts";

const DESCRIPTION =
  "List the addresses that held more than a threshold of the token at some moment of a time frame, with their current balances. The addresses are in ascending order of their highest balance ever. A page may have fewer items than requested even if it is not the last.";

@Resolver(() => Erc20Token)
export class HoldersAboveResolver {
  @RestOnly()
  @Query(() => Erc20HolderConnection, {
    description: `${DESCRIPTION} See \`Erc20Token.holdersAbove\`. Empty if the address has emitted no ERC-20 transfer. Fails with \`NOT_FOUND\` if the chain is not configured, and with \`UNAVAILABLE\` until its first block after the genesis is indexed.`,
  })
  erc20HoldersAbove(
    @Args(() => Erc20HoldersAboveArgs) args: Erc20HoldersAboveArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc20HolderConnection> {
    const { address, threshold, startTimestamp: from, endTimestamp: to } = args;
    const chainId = String(context.configuredChains.require(args.chainId).chainId);
    return readHoldersAbove({ token: { chainId, address }, threshold, from, to, page: args }, context);
  }

  @FieldResolver(() => Erc20HolderConnection, {
    nullable: true,
    description: `${DESCRIPTION} ${UNINDEXED}`,
  })
  holdersAbove(
    @Root() token: Erc20Token,
    @Args(() => HoldersAboveArgs) args: HoldersAboveArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc20HolderConnection> {
    const { threshold, filter } = args;
    const frame = { from: filter?.fromTime, to: filter?.toTime };
    return readHoldersAbove({ token, threshold, ...frame, page: args }, context);
  }
}
