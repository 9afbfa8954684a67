import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Quantity, SignedQuantity } from "../../../core/graph/scalars.ts";
import { NODE_CALL_COST } from "../../shared/evm-node/node-call-cost.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { isSupplyApproximate, NULL_WITHOUT_ANSWER } from "../contract-calls/approximate.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { supplyAt } from "./supply-at.ts";
import { StateAtArgs } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20SupplyResolver {
  @FieldResolver(() => Quantity, {
    nullable: true,
    description: `Number of addresses with a balance above 0 after a block. ${UNINDEXED}`,
  })
  async holderCount(
    @Root() token: Erc20Token,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.erc20Supply, token, args, context)).holderCount;
  }

  @FieldResolver(() => SignedQuantity, {
    nullable: true,
    description: `Sum of all balances after a block, in the token's smallest unit. It differs from the contract's \`totalSupply\`, and can be negative, if the contract changes balances without events. ${UNINDEXED}`,
  })
  async totalSupply(
    @Root() token: Erc20Token,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.erc20Supply, token, args, context)).totalSupply;
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: `True if \`Erc20Token.totalSupply\` differs from the contract's \`totalSupply\` after the same block. ${NULL_WITHOUT_ANSWER} ${NODE_CALL_COST}`,
  })
  async isSupplyApproximate(
    @Root() token: Erc20Token,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<boolean | null> {
    const { totalSupply, blockHash } = await supplyAt(context.load.erc20Supply, token, args, context);
    const { chainId, address: tokenAddress } = token;
    return isSupplyApproximate({ chainId, tokenAddress, blockHash }, totalSupply, context);
  }
}
