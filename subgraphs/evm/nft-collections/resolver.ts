import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { Erc721Token, Erc1155Token } from "../nft-tokens/types.ts";
import { NftCollection, NftCollectionArgs } from "./types.ts";

const OF_TOKEN = "Collection of the token; null if a reorganisation removes its transfers during the request.";

@Resolver(() => NftCollection)
export class NftCollectionResolver {
  @Query(() => NftCollection, {
    nullable: true,
    description: `Get an NFT collection; null if the address has emitted no ERC-721 or ERC-1155 transfer. ${UNINDEXED_CHAIN}`,
  })
  async nftCollection(
    @Args(() => NftCollectionArgs) { chainId: chainIdText, address }: NftCollectionArgs,
    @Ctx() context: EvmContext,
  ): Promise<NftCollection | null> {
    const chainId = findChainId(chainIdText, context);
    return (await context.load.nftCollection({ chainId, address })) ?? nullIfIndexed(chainId, context);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the collection; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: NftCollection, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Contract, {
    nullable: true,
    description: "The contract; null if a reorganisation removes its transfers during the request.",
  })
  contract(@Root() { chainId, address }: NftCollection, @Ctx() { load }: EvmContext): Promise<Contract | null> {
    return load.contract({ chainId, address });
  }
}

@Resolver(() => Erc721Token)
export class Erc721CollectionResolver {
  @FieldResolver(() => NftCollection, { nullable: true, description: OF_TOKEN })
  collection(@Root() { chainId, address }: Erc721Token, @Ctx() { load }: EvmContext): Promise<NftCollection | null> {
    return load.nftCollection({ chainId, address });
  }
}

@Resolver(() => Erc1155Token)
export class Erc1155CollectionResolver {
  @FieldResolver(() => NftCollection, { nullable: true, description: OF_TOKEN })
  collection(@Root() { chainId, address }: Erc1155Token, @Ctx() { load }: EvmContext): Promise<NftCollection | null> {
    return load.nftCollection({ chainId, address });
  }
}

/** Resolves a collection by its federation key. */
export async function resolveNftCollectionReference(
  key: { readonly chainId: string; readonly address: unknown },
  context: EvmContext,
): Promise<NftCollection | null> {
  const chainId = referencedChainId(key, context);
  return chainId === null ? null : context.load.nftCollection({ chainId, address: Address.parseValue(key.address) });
}
