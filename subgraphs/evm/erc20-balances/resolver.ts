import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { SignedQuantity } from "../../../core/graph/scalars.ts";
import { blockAt } from "../chains/block-at.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { Erc20BalanceArgs } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20BalanceResolver {
  @FieldResolver(() => SignedQuantity, {
    nullable: true,
    description:
      "Balance of an address after a block, in the token's smallest unit, summed from the token's transfer events and, for a wrapped native token (setting `wrappedNativeTokens`), its deposit and withdrawal events. It differs from the contract's `balanceOf`, and can be negative, if the contract changes balances without events. Null, with the error `INVALID_PARAMETER`, for the zero address, whose balance is not stored.",
  })
  async balance(
    @Root() { chainId, address: tokenAddress }: Erc20Token,
    @Args(() => Erc20BalanceArgs) { address, at }: Erc20BalanceArgs,
    @Ctx() context: EvmContext,
  ): Promise<string> {
    if (address === ZERO_ADDRESS)
      throw new Failure("INVALID_PARAMETER", "address must not be the zero address: its balance is not stored");
    const blockNumber = (await blockAt(chainId, at, context))?.blockNumber ?? null;
    const found = await context.load.erc20Balance({ chainId, tokenAddress, address, blockNumber });
    return found?.balance ?? "0";
  }
}
