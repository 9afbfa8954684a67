import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { Erc721Token, Erc1155Token } from "../nft-tokens/types.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";
import { rangeOf } from "../ranged-lists/range.ts";
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
    @Ctx() { load }: EvmContext,
  ): Promise<NftCollectionTokenConnection> {
    return load.tokensOfCollection([chainId, bytea(address)], args);
  }

  @FieldResolver(() => Erc721TransferConnection, { description: "ERC-721 transfers of the collection, newest first." })
  erc721Transfers(
    @Root() { chainId, address }: NftCollection,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return load.erc721TransfersOfCollection.ofChain([chainId, bytea(address), ...rangeOf(args.filter ?? {})], args);
  }

  @FieldResolver(() => Erc1155TransferConnection, {
    description: "ERC-1155 transfers of the collection, newest first.",
  })
  erc1155Transfers(
    @Root() { chainId, address }: NftCollection,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return load.erc1155TransfersOfCollection.ofChain([chainId, bytea(address), ...rangeOf(args.filter ?? {})], args);
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
