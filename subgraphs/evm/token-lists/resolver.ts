import { Args, ArgsType, Ctx, Field, FieldResolver, Resolver, Root } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Token, Erc20TokenConnection } from "../erc20-tokens/types.ts";
import { NftCollection, NftCollectionConnection } from "../nft-collections/types.ts";
import { TokenOrder } from "./order.ts";

const BY_HOLDERS = { field: "HOLDERS", direction: "DESC" } as const;

@ArgsType()
class TokensArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => TokenOrder, { defaultValue: BY_HOLDERS, description: "Order. Default: most holders first." })
  orderBy!: TokenOrder;
}

const CHANGES = "The numbers change with each block: an item can move to another page while pages are read.";

@Resolver(() => Chain)
export class TokenListsResolver {
  @FieldResolver(() => Erc20TokenConnection, {
    description: `ERC-20 tokens of the chain: contracts that emitted ERC-20 transfers. ${CHANGES}`,
  })
  erc20Tokens(
    @Root() { chainId }: Chain,
    @Args(() => TokensArgs) args: TokensArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TokenConnection> {
    const { field, direction } = args.orderBy;
    return load.erc20TokensOfChain[`${field} ${direction}`]([chainId], args);
  }

  @FieldResolver(() => NftCollectionConnection, {
    description: `NFT collections of the chain: contracts that emitted ERC-721 or ERC-1155 transfers. ${CHANGES}`,
  })
  nftCollections(
    @Root() { chainId }: Chain,
    @Args(() => TokensArgs) args: TokensArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<NftCollectionConnection> {
    const { field, direction } = args.orderBy;
    return load.nftCollectionsOfChain[`${field} ${direction}`]([chainId], args);
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
