import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { NODE_CALL_COST } from "../../shared/evm-node/node-call-cost.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { EvmAddress } from "../addresses/types.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { isBalanceApproximate, NULL_WITHOUT_ANSWER } from "../contract-calls/approximate.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { supplyAt } from "../supplies/supply-at.ts";
import { readHolders } from "./pages.ts";
import { Erc20Holder, Erc20HolderConnection, HoldersArgs } from "./types.ts";
import { withState } from "./with-state.ts";

@Resolver(() => Erc20Token)
export class Erc20HolderResolver {
  @FieldResolver(() => Erc20HolderConnection, {
    nullable: true,
    description: `List the addresses with a balance above 0, by default the greatest balance first. With \`at\`, the list has the balances after that block. In the order BALANCE, such a list considers only 10,000 addresses for a page: those whose highest balance ever is the greatest, or, backward, those whose highest balance ever is above the page. That highest balance may be from a later block. If a page cannot be determined from these addresses, the request fails with \`INVALID_PARAMETER\`; use the order ADDRESS to list all holders. With or without \`at\`, each page in the order ADDRESS considers at most 100,000 further addresses that ever had the token, and the next page continues after them. A page can therefore have fewer items than requested, or none, even if it is not the last. ${UNINDEXED}`,
  })
  async holders(
    @Root() token: Erc20Token,
    @Args(() => HoldersArgs) page: HoldersArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc20HolderConnection> {
    const { at } = page;
    const { erc20Holders, erc20HoldersAtBlock, erc20HoldersByAddress: byAddress } = context.load;
    const load = { byBalance: at ? erc20HoldersAtBlock : erc20Holders, byAddress };
    const count = async () => exactly((await supplyAt(context.load.erc20Supply, token, { at }, context)).holderCount);
    const request = { list: "holders", token, at, page, load, count };
    const { page: found, blockHash } = await readHolders(request, context);
    return found.withNodes(withState(found.nodes, token, blockHash));
  }
}

@Resolver(() => Erc20Holder)
export class Erc20HolderFieldsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address, with its activity and the tokens that it holds.",
  })
  evmAddress(@Root() { address, state: { chainId } }: Erc20Holder): EvmAddress {
    return { chainId, address };
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: `True if \`balance\` differs from the contract's \`balanceOf\` after the same block, for example because the contract changes balances without events. ${NULL_WITHOUT_ANSWER} ${NODE_CALL_COST}`,
  })
  isApproximate(@Root() holder: Erc20Holder, @Ctx() context: MetricsContext): Promise<boolean | null> {
    return isBalanceApproximate(holder.state, holder, context);
  }
}
