import { Args, ArgsType, Ctx, Directive, Field, FieldResolver, Resolver, Root } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import { UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Token, Erc20TokenConnection } from "../erc20-tokens/types.ts";
import { NftCollection, NftCollectionConnection } from "../nft-collections/types.ts";
import { pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { TokenOrder } from "./order.ts";

const BY_HOLDERS = { field: "HOLDERS", direction: "desc" } as const;

@ArgsType()
class TokensArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => TokenOrder, { defaultValue: BY_HOLDERS, description: "Order. Default: most holders first." })
  orderBy!: TokenOrder;
}

const CHANGES = "The numbers change with each block: an item can move to another page while pages are read.";

@Resolver(() => Chain)
export class TokenListsResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => Erc20TokenConnection, {
    nullable: true,
    description: `ERC-20 tokens of the chain: contracts that emitted ERC-20 transfers. ${CHANGES} ${UNINDEXED_CHAIN}`,
  })
  erc20Tokens(
    @Root() { chainId }: Chain,
    @Args(() => TokensArgs) args: TokensArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TokenConnection> {
    const { field, direction } = args.orderBy;
    const list = context.load.erc20TokensOfChain[`${field} ${direction}`];
    return pageOfIndexed(chainId, list([chainId], args), context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => NftCollectionConnection, {
    nullable: true,
    description: `NFT collections of the chain: contracts that emitted ERC-721 or ERC-1155 transfers. ${CHANGES} ${UNINDEXED_CHAIN}`,
  })
  nftCollections(
    @Root() { chainId }: Chain,
    @Args(() => TokensArgs) args: TokensArgs,
    @Ctx() context: EvmContext,
  ): Promise<NftCollectionConnection> {
    const { field, direction } = args.orderBy;
    const list = context.load.nftCollectionsOfChain[`${field} ${direction}`];
    return pageOfIndexed(chainId, list([chainId], args), context);
  }
}

@Resolver(() => Erc20Token)
export class Erc20TransferCountResolver {
  @FieldResolver(() => Quantity, { description: "Number of transfers of the token." })
  async transferCount(@Root() { chainId, address }: Erc20Token, @Ctx() { load }: EvmContext): Promise<string> {
    return (await load.erc20TransferCount({ chainId, address }))?.transferCount ?? "0";
  }
}

@Resolver(() => NftCollection)
export class NftTransferCountResolver {
  @FieldResolver(() => Quantity, {
    description: "Number of transfers of the collection. Each token id of a batch counts.",
  })
  async transferCount(@Root() { chainId, address }: NftCollection, @Ctx() { load }: EvmContext): Promise<string> {
    return (await load.nftTransferCount({ chainId, address }))?.transferCount ?? "0";
  }
}
