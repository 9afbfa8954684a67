import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { MetricsContext } from "../context.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { readHolders } from "./pages.ts";
import { Erc20HolderPage, HoldersArgs } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20HolderResolver {
  @FieldResolver(() => Erc20HolderPage, {
    nullable: true,
    description:
      "List the addresses with a balance above 0, greatest balance first. Equal balances are ordered by address, highest first. Null, with the error `UNAVAILABLE`, while the chain is not indexed.",
  })
  async holders(
    @Root() token: Erc20Token,
    @Args(() => HoldersArgs) page: HoldersArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc20HolderPage> {
    const { blockNumber = null } = page;
    const load = blockNumber === null ? context.load.erc20Holders : context.load.erc20HoldersAtBlock;
    const { holders, nextPageToken } = await readHolders({ list: "holders", token, blockNumber, page, load }, context);
    return { holders: [...holders], nextPageToken };
  }
}
