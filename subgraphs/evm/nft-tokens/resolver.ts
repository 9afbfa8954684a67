import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors.ts";
import { Address, Quantity } from "../../../core/scalars.ts";
import { Chain } from "../chains/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import type { NftKey } from "./store.ts";
import { Erc721Token, Erc1155Token, NftTokenArgs } from "./types.ts";

@Resolver(() => Erc721Token)
export class Erc721TokenResolver {
  @Query(() => Erc721Token, { nullable: true, description: "One token; null when no ERC-721 transfer named it." })
  erc721Token(@Args(() => NftTokenArgs) args: NftTokenArgs, @Ctx() context: EvmContext): Promise<Erc721Token | null> {
    return context.load.erc721Token(keyOf(args, context));
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: Erc721Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }
}

@Resolver(() => Erc1155Token)
export class Erc1155TokenResolver {
  @Query(() => Erc1155Token, { nullable: true, description: "One token; null when no ERC-1155 transfer named it." })
  erc1155Token(@Args(() => NftTokenArgs) args: NftTokenArgs, @Ctx() context: EvmContext): Promise<Erc1155Token | null> {
    return context.load.erc1155Token(keyOf(args, context));
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: Erc1155Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }
}

@Resolver()
export class NftReindexResolver {
  @Mutation(() => Boolean, {
    description:
      "Has the metadata of a token looked at anew in the background: at once, but not within a minute of the last time. An error `NOT_FOUND` when no transfer named the token.",
  })
  async reindexNft(@Args(() => NftTokenArgs) args: NftTokenArgs, @Ctx() context: EvmContext): Promise<boolean> {
    const { enabledFeatures } = context.configured.find(args.chainId);
    if (!enabledFeatures.includes("nftIndexing"))
      throw new Failure("INVALID_PARAMETER", `chainId ${args.chainId}: nftIndexing is not enabled for this chain`);
    await context.nftTokens.reindex(keyOf(args, context));
    return true;
  }
}

const keyOf = ({ chainId, address, tokenId }: NftTokenArgs, context: EvmContext): NftKey => ({
  chainId: chainIdOf(chainId, context),
  address,
  tokenId,
});

interface Reference {
  readonly chainId: string;
  readonly address: unknown;
  readonly tokenId: unknown;
}

/** The key that another subgraph names; null when its chain is not served. */
function referenced(key: Reference, { configured }: EvmContext): NftKey | null {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  if (!chainId) return null;
  return { chainId, address: Address.parseValue(key.address), tokenId: Quantity.parseValue(key.tokenId) };
}

/** The token that another subgraph names. */
export async function resolveErc721TokenReference(key: Reference, context: EvmContext): Promise<Erc721Token | null> {
  const named = referenced(key, context);
  return named && context.load.erc721Token(named);
}

/** The token that another subgraph names. */
export async function resolveErc1155TokenReference(key: Reference, context: EvmContext): Promise<Erc1155Token | null> {
  const named = referenced(key, context);
  return named && context.load.erc1155Token(named);
}
