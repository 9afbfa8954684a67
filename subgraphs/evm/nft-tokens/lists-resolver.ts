import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { EvmContext } from "../context.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";
import { pageInRange } from "../ranged-lists/page-in-range.ts";
import type { NftKey } from "./store.ts";
import { Erc721Token, Erc1155Token } from "./types.ts";

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
}

const keyOf = ({ chainId, address, tokenId }: NftKey): readonly [chainId: string, ...others: string[]] => [
  chainId,
  bytea(address),
  tokenId,
];
