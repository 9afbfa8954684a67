import { Arg, Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { NODE_CALL_COST } from "../../shared/evm-node/node-call-cost.ts";
import { balanceValue } from "../../shared/prices/balance-value.ts";
import { CurrencyCode, Price } from "../../shared/prices/price.ts";
import { EvmAddress } from "../addresses/types.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { isBalanceApproximate, NULL_WITHOUT_ANSWER } from "../contract-calls/approximate.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { readCurrentBalances, readPastBalances } from "./pages.ts";
import { Erc20BalancesArgs, Erc20TokenBalance, Erc20TokenBalanceConnection } from "./types.ts";

@Resolver(() => EvmAddress)
export class AddressBalancesResolver {
  @FieldResolver(() => Erc20TokenBalanceConnection, {
    nullable: true,
    description: `ERC-20 tokens that the address holds after a block. With \`at\`, a page considers at most 10,000 further tokens that the address ever held, and the next page continues after them: a page can have fewer items than requested, or none, even if it is not the last. ${UNINDEXED} Fails with \`INVALID_PARAMETER\` for the zero address, whose tokens are not counted.`,
  })
  async erc20Balances(
    @Root() address: EvmAddress,
    @Args(() => Erc20BalancesArgs) page: Erc20BalancesArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc20TokenBalanceConnection> {
    const { chainId } = address;
    const read = page.at ? readPastBalances : readCurrentBalances;
    const { page: found, blockHash, pricedAt } = await read(address, page, context);
    const balances = found.nodes.map((item) => {
      const { tokenAddress } = item;
      return { ...item, address: address.address, state: { chainId, tokenAddress, blockHash }, pricedAt };
    });
    return found.withNodes(balances);
  }
}

@Resolver(() => Erc20TokenBalance)
export class Erc20TokenBalanceResolver {
  @FieldResolver(() => Erc20Token, { nullable: true, description: "The token." })
  token(@Root() { chainId, tokenAddress }: Erc20TokenBalance): Erc20Token {
    return { chainId, address: tokenAddress };
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: `True if \`balance\` differs from the contract's \`balanceOf\` after the same block, for example because the contract changes balances without events. ${NULL_WITHOUT_ANSWER} ${NODE_CALL_COST}`,
  })
  isApproximate(@Root() balance: Erc20TokenBalance, @Ctx() context: MetricsContext): Promise<boolean | null> {
    return isBalanceApproximate(balance.state, balance, context);
  }

  @FieldResolver(() => Price, {
    nullable: true,
    description:
      "Price of one whole token: the current price, or that at the timestamp of the block that `at` selects. Null if unknown.",
  })
  async price(
    @Root() { chainId, tokenAddress, pricedAt }: Erc20TokenBalance,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the price." })
    currency: CurrencyCode,
    @Ctx() { currentPrices, load }: MetricsContext,
  ): Promise<Price | null> {
    const asset = currentPrices.tokenAssetId({ chainId, address: tokenAddress });
    if (pricedAt === null || asset === null) return currentPrices.ofAsset(asset, currency);
    return (await load.price({ asset, currency, timestamp: pricedAt }))?.price ?? null;
  }

  @FieldResolver(() => Price, {
    nullable: true,
    description:
      "Value of the balance at `price`, rounded to 18 decimal places; null if the price or the token's decimals are unknown.",
  })
  async balanceValue(
    @Root() balance: Erc20TokenBalance,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the value." })
    currency: CurrencyCode,
    @Ctx() context: MetricsContext,
  ): Promise<Price | null> {
    const price = await this.price(balance, currency, context);
    if (!price || balance.decimals === null) return null;
    return { ...price, value: balanceValue(balance.balance, balance.decimals, price.value) };
  }
}
