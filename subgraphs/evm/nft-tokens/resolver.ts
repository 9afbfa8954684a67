import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { blockAt } from "../chains/block-at.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import type { NftKey } from "./store.ts";
import { Erc721Token, Erc1155Token, NftTokenArgs } from "./types.ts";

/** Description of the argument of both fields. */
const OWNER_AT = "Block of the owner. Default: the last indexed block.";

@Resolver(() => Erc721Token)
export class Erc721TokenResolver {
  @Query(() => Erc721Token, {
    nullable: true,
    description: `Get an ERC-721 token; null if no transfer of it is indexed. ${UNINDEXED_CHAIN}`,
  })
  async erc721Token(
    @Args(() => NftTokenArgs) args: NftTokenArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721Token | null> {
    const key = keyOf(args, context);
    return (await context.load.erc721Token(key)) ?? nullIfIndexed(key.chainId, context);
  }

  @FieldResolver(() => Address, {
    nullable: true,
    description:
      "Recipient of the last transfer, or of the last one up to a block. Null if the token was burned, or not minted yet.",
  })
  ownerAddress(
    @Root() token: Erc721Token,
    @Arg("at", () => StateAt, { nullable: true, description: OWNER_AT })
    at: StateAt | null | undefined,
    @Ctx() context: EvmContext,
  ): string | null | Promise<string | null> {
    return at ? pastOwner(token, at, context) : token.ownerAddress;
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the token; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Erc721Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description:
      "The address `ownerAddress`, also up to a block. Null if the token was burned (sent to the zero address), or not minted yet.",
  })
  async owner(
    @Root() token: Erc721Token,
    @Arg("at", () => StateAt, { nullable: true, description: OWNER_AT })
    at: StateAt | null | undefined,
    @Ctx() context: EvmContext,
  ): Promise<EvmAddress | null> {
    const address = await this.ownerAddress(token, at, context);
    return address === null ? null : { chainId: token.chainId, address };
  }
}

async function pastOwner(
  { chainId, address, tokenId, ownerAddress }: Erc721Token,
  at: StateAt,
  context: EvmContext,
): Promise<string | null> {
  const block = await blockAt(chainId, at, context);
  if (block === null) return ownerAddress;
  const { blockNumber } = block;
  return (await context.load.erc721Owner({ chainId, address, tokenId, blockNumber }))?.ownerAddress ?? null;
}

@Resolver(() => Erc1155Token)
export class Erc1155TokenResolver {
  @Query(() => Erc1155Token, {
    nullable: true,
    description: `Get an ERC-1155 token; null if no transfer of it is indexed. ${UNINDEXED_CHAIN}`,
  })
  async erc1155Token(
    @Args(() => NftTokenArgs) args: NftTokenArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155Token | null> {
    const key = keyOf(args, context);
    return (await context.load.erc1155Token(key)) ?? nullIfIndexed(key.chainId, context);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the token; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Erc1155Token, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }
}

@Resolver()
export class NftReindexResolver {
  @Mutation(() => Boolean, {
    description:
      "Schedule another read of a token's metadata. The read runs in the background, at the earliest one minute after the previous attempt. Always returns true. Fails with `INVALID_PARAMETER` if `nftIndexing` is not enabled for the chain, and with `NOT_FOUND` if the chain is not configured or no transfer of the token is indexed. Fails with `UNAVAILABLE` until the first block of the chain is indexed.",
  })
  async reindexNft(@Args(() => NftTokenArgs) args: NftTokenArgs, @Ctx() context: EvmContext): Promise<boolean> {
    const { enabledFeatures } = context.configuredChains.require(args.chainId);
    if (!enabledFeatures.includes("nftIndexing"))
      throw new Failure("INVALID_PARAMETER", `chainId ${args.chainId}: nftIndexing is not enabled for this chain`);
    await context.nftTokens.reindex(keyOf(args, context), context.work);
    return true;
  }
}

const keyOf = ({ chainId, address, tokenId }: NftTokenArgs, context: EvmContext): NftKey => ({
  chainId: findChainId(chainId, context),
  address,
  tokenId,
});

interface Reference {
  readonly chainId: string;
  readonly address: unknown;
  readonly tokenId: unknown;
}

/** Parses a federation key; null if the chain is not configured. */
function parseKey(key: Reference, context: EvmContext): NftKey | null {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  return { chainId, address: Address.parseValue(key.address), tokenId: Quantity.parseValue(key.tokenId) };
}

/** Resolves an ERC-721 token by its federation key. */
export async function resolveErc721TokenReference(key: Reference, context: EvmContext): Promise<Erc721Token | null> {
  const tokenKey = parseKey(key, context);
  return tokenKey && context.load.erc721Token(tokenKey);
}

/** Resolves an ERC-1155 token by its federation key. */
export async function resolveErc1155TokenReference(key: Reference, context: EvmContext): Promise<Erc1155Token | null> {
  const tokenKey = parseKey(key, context);
  return tokenKey && context.load.erc1155Token(tokenKey);
}
