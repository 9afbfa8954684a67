import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Quantity, SignedQuantity } from "../../../core/graph/scalars.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";
import { pageInRange, pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { NestedPageArgs } from "../transactions/types.ts";
import type { NftKey } from "./store.ts";
import { Erc721Token, Erc1155Holder, Erc1155HolderConnection, Erc1155Token } from "./types.ts";

const TRANSFERS = "Transfers of the token, newest first.";

@Resolver(() => Erc721Token)
export class Erc721TokenListsResolver {
  @FieldResolver(() => Erc721TransferConnection, { description: TRANSFERS })
  transfers(
    @Root() token: Erc721Token,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return pageInRange(keyOf(token), context.load.erc721TransfersOfToken, args, context);
  }
}

@Resolver(() => Erc1155Token)
export class Erc1155TokenListsResolver {
  @FieldResolver(() => Erc1155TransferConnection, { description: TRANSFERS })
  transfers(
    @Root() token: Erc1155Token,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return pageInRange(keyOf(token), context.load.erc1155TransfersOfToken, args, context);
  }

  @FieldResolver(() => Erc1155HolderConnection, {
    description: "Addresses that hold the token after the last indexed block, greatest balance first.",
  })
  async holders(
    @Root() token: Erc1155Token,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155HolderConnection> {
    const { chainId, address, tokenId } = token;
    const { load } = context;
    const page = await pageOfIndexed(chainId, load.holdersOfErc1155Token(keyOf(token), args), context);
    return page.countedBy(async () =>
      exactly((await load.erc1155Counts({ chainId, address, tokenId }))?.holderCount ?? 0),
    );
  }

  @FieldResolver(() => Quantity, {
    description: "Number of addresses with a balance above 0 after the last indexed block.",
  })
  async holderCount(@Root() { chainId, address, tokenId }: Erc1155Token, @Ctx() { load }: EvmContext): Promise<string> {
    return (await load.erc1155Counts({ chainId, address, tokenId }))?.holderCount ?? "0";
  }

  @FieldResolver(() => SignedQuantity, {
    description:
      "Sum of all balances after the last indexed block. It can be negative if the contract minted tokens without events.",
  })
  async totalSupply(@Root() { chainId, address, tokenId }: Erc1155Token, @Ctx() { load }: EvmContext): Promise<string> {
    return (await load.erc1155Counts({ chainId, address, tokenId }))?.totalSupply ?? "0";
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

const keyOf = ({ chainId, address, tokenId }: NftKey): readonly [chainId: string, ...others: string[]] => [
  chainId,
  bytea(address),
  tokenId,
];
