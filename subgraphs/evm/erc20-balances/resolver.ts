import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { ZERO_ADDRESS } from "../../../core/formats/address.ts";
import { SignedQuantity } from "../../../core/graph/scalars.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { Erc20BalanceArgs } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20BalanceResolver {
  @FieldResolver(() => SignedQuantity, {
    description:
      "Balance of an address after a block, in the token's smallest unit, summed from the token's transfer events and, for a wrapped native token (setting `wrappedNativeTokens`), its deposit and withdrawal events. It differs from the contract's `balanceOf`, and can be negative, if the contract changes balances without events. Fails with `INVALID_PARAMETER` for a block that is not indexed and for the zero address, whose balance is not stored.",
  })
  async balance(
    @Root() { chainId, address: tokenAddress }: Erc20Token,
    @Args(() => Erc20BalanceArgs) { address, blockNumber = null }: Erc20BalanceArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<string> {
    if (address === ZERO_ADDRESS)
      throw new Failure("INVALID_PARAMETER", "address must not be the zero address: its balance is not stored");
    const found = await load.erc20Balance({ chainId, tokenAddress, address, blockNumber });
    const head = found?.head ?? null;
    if (blockNumber !== null && (head === null || BigInt(blockNumber) > BigInt(head)))
      throw new Failure(
        "INVALID_PARAMETER",
        head === null
          ? `blockNumber must be an indexed block, but no block of the chain is indexed yet, got ${blockNumber}`
          : `blockNumber must be at most ${head}, the last indexed block, got ${blockNumber}`,
      );
    return found?.balance ?? "0";
  }
}
