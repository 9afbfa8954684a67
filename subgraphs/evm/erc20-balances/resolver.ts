import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors.ts";
import { SignedQuantity } from "../../../core/scalars.ts";
import { ZERO_ADDRESS } from "../addresses/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { Erc20BalanceArgs } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20BalanceResolver {
  @FieldResolver(() => SignedQuantity, {
    description:
      "What an address holds of it after a block, in its smallest unit, as its events have it: another than the contract says where that changes balances in silence, and then also below zero. An error `INVALID_PARAMETER` for a block that is not indexed yet, and for the zero address: tokens are minted from it and burned to it, so that its balance is not kept.",
  })
  async balance(
    @Root() { chainId, address: tokenAddress }: Erc20Token,
    @Args(() => Erc20BalanceArgs) { address, blockNumber = null }: Erc20BalanceArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<string> {
    if (address === ZERO_ADDRESS)
      throw new Failure("INVALID_PARAMETER", "address must not be the zero address, whose balance is not kept");
    const found = await load.erc20Balance({ chainId, tokenAddress, address, blockNumber });
    const head = found?.head ?? null;
    if (blockNumber !== null && (head === null || BigInt(blockNumber) > BigInt(head)))
      throw new Failure(
        "INVALID_PARAMETER",
        `blockNumber must be at most the last indexed block, ${head ?? "of which there is none yet"}, got ${blockNumber}`,
      );
    return found?.balance ?? "0";
  }
}
