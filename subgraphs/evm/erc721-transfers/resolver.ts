import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import type { EvmContext } from "../context.ts";
import { Erc721Token } from "../nft-tokens/types.ts";
import { unindexedErc721Token } from "../nft-tokens/unindexed.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { filteredTransfers, hasOnlyBlocks } from "../transfers/filtered.ts";
import { Erc721Transfer, Erc721TransferConnection, Erc721TransfersArgs } from "./types.ts";

@Resolver(() => Erc721Transfer)
export class Erc721TransferResolver {
  @Query(() => Erc721TransferConnection, {
    description: "List the ERC-721 transfers from or to an address, newest first.",
  })
  erc721Transfers(
    @Args(() => Erc721TransfersArgs) args: Erc721TransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc721TransferConnection> {
    const { erc721Transfers, load, work } = context;
    if (hasOnlyBlocks(args)) return erc721Transfers.page(args, work);
    return filteredTransfers(args, load.erc721TransfersOfAddress, context);
  }

  @FieldResolver(() => Erc721Token, { description: "Token that was transferred." })
  async erc721Token(
    @Root() { chainId, tokenAddress, tokenId }: Erc721Transfer,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721Token> {
    const key = { chainId, address: tokenAddress, tokenId };
    return (await load.erc721Token(key)) ?? unindexedErc721Token(key);
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction of the transfer." })
  transaction(
    @Root() { chainId, txHash }: Erc721Transfer,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the transfer." })
  block(@Root() { chainId, blockNumber }: Erc721Transfer, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }
}

/** Resolves a transfer by its federation key. */
export async function resolveErc721TransferReference(
  key: { readonly chainId: string; readonly blockNumber: unknown; readonly logIndex: unknown },
  context: EvmContext,
): Promise<Erc721Transfer | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  const blockNumber = Quantity.parseValue(key.blockNumber);
  return context.load.erc721Transfer({ chainId, blockNumber, logIndex: parseIndex(key.logIndex) });
}
