import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/scalars.ts";
import { CurrencyCode, Price } from "../../shared/price.ts";
import { bytea } from "../../shared/rows.ts";
import { Chain } from "../chains/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import { Erc20TransferPage } from "../erc20-transfers/types.ts";
import type { Quote } from "../prices/current-prices.ts";
import { NestedPageArgs } from "../transactions/types.ts";
import { Erc20Token } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20TokenResolver {
  @Query(() => Erc20Token, {
    nullable: true,
    description: "One token; null when the address has emitted no ERC-20 transfer.",
  })
  erc20Token(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainId: string,
    @Arg("address", () => Address, { description: "The contract." }) address: string,
    @Ctx() context: EvmContext,
  ): Promise<Erc20Token | null> {
    return context.load.token({ chainId: chainIdOf(chainId, context), address });
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: Erc20Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Price, { nullable: true, description: "What a whole token costs now; null when not known." })
  price(
    @Root() token: Erc20Token,
    @Arg("currency", () => CurrencyCode, { defaultValue: CurrencyCode.usd, description: "Currency of the price." })
    currency: CurrencyCode,
    @Ctx() context: EvmContext,
  ): Quote {
    return resolveErc20TokenPrice(token, { currency }, context);
  }

  @FieldResolver(() => Erc20TransferPage, { description: "Its transfers, newest first." })
  async transfers(
    @Root() { chainId, address }: Erc20Token,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TransferPage> {
    const { items, nextPageToken } = await load.transfersOfToken([chainId, bytea(address)], args);
    return { nextPageToken, transactions: items };
  }
}

/** What a token costs now, without TypeGraphQL between: lists of transfers ask for it a row. */
export function resolveErc20TokenPrice(
  token: Erc20Token,
  { currency }: { readonly currency: CurrencyCode },
  { prices }: Pick<EvmContext, "prices">,
): Quote {
  return prices.ofToken(token, currency);
}

/** The token that another subgraph names. */
export async function resolveErc20TokenReference(
  key: { readonly chainId: string; readonly address: unknown },
  { configured, load }: EvmContext,
): Promise<Erc20Token | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  return chainId ? load.token({ chainId, address: Address.parseValue(key.address) }) : null;
}
