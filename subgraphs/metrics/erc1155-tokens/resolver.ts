import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Address, Quantity, SignedQuantity } from "../../../core/graph/scalars.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { requireCounted } from "../addresses/holding-pages.ts";
import { EvmAddress } from "../addresses/types.ts";
import { blockAt } from "../chains/block-at.ts";
import { requireIndexedBlock } from "../chains/indexed-block.ts";
import { requireIndexed, UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { NFT_HOLDERS_AT_BLOCK } from "../holders/order.ts";
import { readHolders } from "../holders/pages.ts";
import { Erc1155Token } from "../nft-tokens/types.ts";
import { supplyAt } from "../supplies/supply-at.ts";
import { StateAtArgs } from "../supplies/types.ts";
import { Erc1155BalanceArgs, Erc1155Holder, Erc1155HolderConnection, Erc1155HoldersArgs } from "./types.ts";

@Resolver(() => Erc1155Token)
export class Erc1155HoldersResolver {
  @FieldResolver(() => Erc1155HolderConnection, {
    nullable: true,
    description: `Addresses that hold the token, by default the greatest balance first. ${NFT_HOLDERS_AT_BLOCK} Pages in the order ADDRESS without \`at\` are limited in the same way. ${UNINDEXED}`,
  })
  async holders(
    @Root() token: Erc1155Token,
    @Args(() => Erc1155HoldersArgs) page: Erc1155HoldersArgs,
    @Ctx() context: MetricsContext,
  ): Promise<Erc1155HolderConnection> {
    const { at } = page;
    const { erc1155Holders, erc1155HoldersByAddress: byAddress, erc1155Supply } = context.load;
    const load = { byBalance: at ? null : erc1155Holders, byAddress };
    const count = async () => exactly((await supplyAt(erc1155Supply, token, { at }, context)).holderCount);
    const { page: found } = await readHolders({ list: "erc1155Holders", token, at, page, load, count }, context);
    const { chainId } = token;
    return found.withNodes(found.nodes.map(({ address, balance }) => ({ address, balance, chainId })));
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: `Number of addresses with a balance above 0 after a block. ${UNINDEXED}`,
  })
  async holderCount(
    @Root() token: Erc1155Token,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.erc1155Supply, token, args, context)).holderCount;
  }

  @FieldResolver(() => SignedQuantity, {
    nullable: true,
    description: `Sum of all balances after a block. It can be negative if the contract minted tokens without events. ${UNINDEXED}`,
  })
  async totalSupply(
    @Root() token: Erc1155Token,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.erc1155Supply, token, args, context)).totalSupply;
  }

  @FieldResolver(() => SignedQuantity, {
    nullable: true,
    description: `Number of tokens that an address holds after a block, summed from the collection's transfer events. It can be negative if the contract minted tokens without events. ${UNINDEXED} Fails with \`INVALID_PARAMETER\` for the zero address, whose tokens are not counted.`,
  })
  async balance(
    @Root() { chainId, address: tokenAddress, tokenId }: Erc1155Token,
    @Args(() => Erc1155BalanceArgs) { address, at }: Erc1155BalanceArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    requireCounted({ chainId, address });
    const blockNumber = (await blockAt(chainId, at, context))?.blockNumber ?? null;
    const found = await context.load.erc1155Balance({ chainId, tokenAddress, tokenId, address, blockNumber });
    const { balance, head } = await requireIndexed(chainId, found, context, `chain ${chainId}`);
    requireIndexedBlock(blockNumber, head);
    return balance;
  }
}

@Resolver(() => Erc1155Holder)
export class Erc1155HolderResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address, with its activity and the tokens that it holds.",
  })
  evmAddress(@Root() { chainId, address }: Erc1155Holder): EvmAddress {
    return { chainId, address };
  }
}

/** Resolves an ERC-1155 token by its federation key; null if no such chain is configured. */
export async function resolveErc1155TokenReference(
  key: { readonly chainId: unknown; readonly address: unknown; readonly tokenId: unknown },
  { configuredChains }: MetricsContext,
): Promise<Erc1155Token | null> {
  const chain = configuredChains.get(String(key.chainId));
  if (!chain) return null;
  const tokenKey = { address: Address.parseValue(key.address), tokenId: Quantity.parseValue(key.tokenId) };
  return { ...tokenKey, chainId: String(chain.chainId), ercType: "ERC-1155" };
}
