import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import type { Quote } from "../../shared/prices/current-prices.ts";
import { CurrencyCode, Price } from "../../shared/prices/price.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20TransferConnection } from "../erc20-transfers/types.ts";
import { TokenTransfersArgs } from "../ranged-lists/args.ts";
import { pageInRange, pageOfAddress } from "../ranged-lists/page-in-range.ts";
import { isWhole } from "../ranged-lists/range.ts";
import { Erc20Token } from "./types.ts";

@Resolver(() => Erc20Token)
export class Erc20TokenResolver {
  @Query(() => Erc20Token, {
    nullable: true,
    description: `Get a token; null if the address has emitted no ERC-20 transfer. ${UNINDEXED_CHAIN}`,
  })
  async erc20Token(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainIdText: string,
    @Arg("address", () => Address, { description: "Address of the contract." }) address: string,
    @Ctx() context: EvmContext,
  ): Promise<Erc20Token | null> {
    const chainId = findChainId(chainIdText, context);
    return (await context.load.erc20Token({ chainId, address })) ?? nullIfIndexed(chainId, context);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the token; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Erc20Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Price, {
    nullable: true,
    description: "Current price of one whole token; null if unknown.",
  })
  price(
    @Root() token: Erc20Token,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the price." })
    currency: CurrencyCode,
    @Ctx() { currentPrices }: EvmContext,
  ): Quote {
    return currentPrices.ofToken(token, currency);
  }

  @FieldResolver(() => Erc20TransferConnection, {
    description: "Transfers of the token, or those from or to an address, newest first.",
  })
  async transfers(
    @Root() { chainId, address }: Erc20Token,
    @Args(() => TokenTransfersArgs) args: TokenTransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TransferConnection> {
    const { load } = context;
    const { address: holder, direction: _, ...range } = args.filter ?? {};
    const token = [chainId, bytea(address)] as const;
    if (holder) return pageOfAddress([...token, bytea(holder)], load.erc20TransfersOfTokenByHolder, args, context);
    const page = await pageInRange(token, load.erc20TransfersOfToken, args, context);
    if (!isWhole(range)) return page;
    return page.countedBy(async () =>
      exactly((await load.erc20TransferCount({ chainId, address }))?.transferCount ?? 0),
    );
  }
}

/** Resolves a token by its federation key. */
export async function resolveErc20TokenReference(
  key: { readonly chainId: string; readonly address: unknown },
  context: EvmContext,
): Promise<Erc20Token | null> {
  const chainId = referencedChainId(key, context);
  return chainId === null ? null : context.load.erc20Token({ chainId, address: Address.parseValue(key.address) });
}
