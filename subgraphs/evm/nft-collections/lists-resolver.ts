import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { Erc721Token, Erc1155Token } from "../nft-tokens/types.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";
import { pageInRange, pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { NestedPageArgs } from "../transactions/types.ts";
import { NftCollection, NftCollectionToken, NftCollectionTokenConnection } from "./types.ts";

/** Lists of a collection. */
@Resolver(() => NftCollection)
export class NftCollectionListsResolver {
  @FieldResolver(() => NftCollectionTokenConnection, {
    description:
      "Tokens of the collection that were transferred at least once, also burned ones, by ascending token id.",
  })
  tokens(
    @Root() { chainId, address }: NftCollection,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() context: EvmContext,
  ): Promise<NftCollectionTokenConnection> {
    return pageOfIndexed(chainId, context.load.tokensOfCollection([chainId, bytea(address)], args), context);
  }

  @FieldResolver(() => Erc721TransferConnection, { description: "ERC-721 transfers of the collection, newest first." })
  erc721Transfers(
    @Root() { chainId, address }: NftCollection,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return pageInRange([chainId, bytea(address)], context.load.erc721TransfersOfCollection, args, context);
  }

  @FieldResolver(() => Erc1155TransferConnection, {
    description: "ERC-1155 transfers of the collection, newest first.",
  })
  erc1155Transfers(
    @Root() { chainId, address }: NftCollection,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return pageInRange([chainId, bytea(address)], context.load.erc1155TransfersOfCollection, args, context);
  }
}

@Resolver(() => NftCollectionToken)
export class NftCollectionTokenResolver {
  @FieldResolver(() => Erc721Token, { nullable: true, description: "The token; null if its standard is ERC-1155." })
  async erc721Token(
    @Root() { chainId, address, tokenId, ercType }: NftCollectionToken,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721Token | null> {
    return ercType === "ERC-721" ? load.erc721Token({ chainId, address, tokenId }) : null;
  }

  @FieldResolver(() => Erc1155Token, { nullable: true, description: "The token; null if its standard is ERC-721." })
  async erc1155Token(
    @Root() { chainId, address, tokenId, ercType }: NftCollectionToken,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc1155Token | null> {
    return ercType === "ERC-1155" ? load.erc1155Token({ chainId, address, tokenId }) : null;
  }
}
