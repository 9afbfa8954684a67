import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Quantity, SignedQuantity } from "../../../core/graph/scalars.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { EvmAddress } from "../addresses/types.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { NFT_HOLDERS_AT_BLOCK } from "../holders/order.ts";
import { readHolders } from "../holders/pages.ts";
import { supplyAt } from "../supplies/supply-at.ts";
import { StateAtArgs } from "../supplies/types.ts";
import { NftCollection, NftHolder, NftHolderConnection, NftHoldersArgs } from "./types.ts";

@Resolver(() => NftCollection)
export class NftCollectionHolderResolver {
  @FieldResolver(() => NftHolderConnection, {
    nullable: true,
    description: `List the addresses that hold tokens of the collection, by default the greatest number of tokens first. ${NFT_HOLDERS_AT_BLOCK} If the contract emits a transfer from an address that does not hold the token, that address gets a negative balance. A negative balance is part of \`totalSupply\` but is not listed, so the balances of all holders can sum to more than \`totalSupply\`. ${UNINDEXED}`,
  })
  async holders(
    @Root() token: NftCollection,
    @Args(() => NftHoldersArgs) page: NftHoldersArgs,
    @Ctx() context: MetricsContext,
  ): Promise<NftHolderConnection> {
    const { at } = page;
    const { nftHolders, nftHoldersByAddress, nftHoldersAtBlock, nftSupply } = context.load;
    const load = at
      ? { byBalance: null, byAddress: nftHoldersAtBlock }
      : { byBalance: nftHolders, byAddress: nftHoldersByAddress };
    const count = async () => exactly((await supplyAt(nftSupply, token, { at }, context)).holderCount);
    const { page: found } = await readHolders({ list: "nftHolders", token, at, page, load, count }, context);
    const { chainId } = token;
    return found.withNodes(found.nodes.map(({ address, balance }) => ({ address, balance, chainId })));
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: `Number of addresses that held a token of the collection after a block. ${UNINDEXED}`,
  })
  async holderCount(
    @Root() collection: NftCollection,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.nftSupply, collection, args, context)).holderCount;
  }

  @FieldResolver(() => SignedQuantity, {
    nullable: true,
    description: `Number of tokens after a block, of all token ids together. It can be negative if the contract minted tokens without events. ${UNINDEXED}`,
  })
  async totalSupply(
    @Root() collection: NftCollection,
    @Args(() => StateAtArgs) args: StateAtArgs,
    @Ctx() context: MetricsContext,
  ): Promise<string> {
    return (await supplyAt(context.load.nftSupply, collection, args, context)).totalSupply;
  }
}

@Resolver(() => NftHolder)
export class NftHolderResolver {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address, with its activity and the tokens that it holds.",
  })
  evmAddress(@Root() { chainId, address }: NftHolder): EvmAddress {
    return { chainId, address };
  }
}
