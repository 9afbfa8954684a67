import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { Price } from "../../shared/price.ts";
import type { EvmContext } from "../context.ts";
import { coinPriceAt } from "../prices/network-token.ts";
import { worthOf } from "./balance-value.ts";
import type { NativeBalance } from "./store.ts";
import { type NativeTokenBalance, NativeTokenBalanceArgs, NativeTokenBalanceAt } from "./types.ts";

@Resolver(() => NativeTokenBalanceAt)
export class NativeTokenBalanceResolver {
  @Query(() => NativeTokenBalanceAt, {
    description:
      "What an address has of a chain's own token, as the chain's node says; an error `NOT_FOUND` when the node does not keep the state of the block.",
  })
  async nativeTokenBalance(
    @Args(() => NativeTokenBalanceArgs) args: NativeTokenBalanceArgs,
    @Ctx() context: EvmContext,
  ): Promise<NativeTokenBalanceAt> {
    const found = await context.nativeBalances.find(args);
    const price = await priceOf(found, args, context);
    return { ...found.block, address: args.address, nativeTokenBalance: described(found, price) };
  }
}

/** The head's balance is worth what the token costs now, a block's what it cost then. */
async function priceOf(
  { chain, block }: NativeBalance,
  { blockNumber, blockTimestamp, currency }: NativeTokenBalanceArgs,
  context: EvmContext,
): Promise<Price | null> {
  const chainId = String(chain.chainId);
  if ((blockNumber ?? blockTimestamp ?? null) === null)
    return context.prices.current(context.prices.coin(chainId), currency);
  return coinPriceAt(chainId, block.blockTimestamp, currency, context);
}

function described({ chain, balance }: NativeBalance, price: Price | null): NativeTokenBalance {
  const { name, symbol, decimals, logoUri = null } = chain.networkToken;
  const balanceValue = price && { ...price, value: worthOf(balance, decimals, price.value) };
  return { name, symbol, decimals, logoUri, chainId: String(chain.chainId), balance, price, balanceValue };
}
