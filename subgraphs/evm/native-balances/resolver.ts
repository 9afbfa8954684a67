import { Args, Ctx, Query, Resolver } from "type-graphql";
import { balanceValue } from "../../shared/prices/balance-value.ts";
import type { Price } from "../../shared/prices/price.ts";
import type { EvmContext } from "../context.ts";
import { nativePriceAt } from "../prices/network-token.ts";
import type { NativeBalance } from "./store.ts";
import { type NativeTokenBalance, NativeTokenBalanceArgs, NativeTokenBalanceAt } from "./types.ts";

@Resolver(() => NativeTokenBalanceAt)
export class NativeTokenBalanceResolver {
  @Query(() => NativeTokenBalanceAt, {
    description:
      "Get the native token balance of an address from the chain's node. Fails with `INVALID_PARAMETER` for a block that is not indexed, with `NOT_FOUND` if the chain is not configured or the node no longer has the state of the block, with `UNAVAILABLE` if no block is indexed yet or the node cannot answer at present, and with `UPSTREAM_FAILED` if the node returns an error or an invalid answer.",
  })
  async nativeTokenBalance(
    @Args(() => NativeTokenBalanceArgs) args: NativeTokenBalanceArgs,
    @Ctx() context: EvmContext,
  ): Promise<NativeTokenBalanceAt> {
    const found = await context.nativeBalances.find(args, context.work);
    const price = await priceOf(found, args, context);
    return {
      ...found.block,
      chainId: String(found.chain.chainId),
      address: args.address,
      nativeTokenBalance: nativeTokenBalance(found, price),
    };
  }
}

/** The current price if the request names no block, otherwise the price at the timestamp of the block. */
async function priceOf(
  { chain, block }: NativeBalance,
  { blockNumber, blockTimestamp, currency }: NativeTokenBalanceArgs,
  context: EvmContext,
): Promise<Price | null> {
  const { currentPrices } = context;
  const chainId = String(chain.chainId);
  if ((blockNumber ?? blockTimestamp ?? null) === null)
    return currentPrices.ofAsset(currentPrices.nativeAssetId(chainId), currency);
  return nativePriceAt(chainId, block.blockTimestamp, currency, context);
}

/** The balance with its price and value. */
export function nativeTokenBalance(
  { chain, balance }: Pick<NativeBalance, "chain" | "balance">,
  price: Price | null,
): NativeTokenBalance {
  const { name, symbol, decimals, logoUri = null } = chain.networkToken;
  return {
    name,
    symbol,
    decimals,
    logoUri,
    chainId: String(chain.chainId),
    balance,
    price,
    balanceValue: price && { ...price, value: balanceValue(balance, decimals, price.value) },
  };
}
