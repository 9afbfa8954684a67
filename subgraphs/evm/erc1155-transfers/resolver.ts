import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import type { EvmContext } from "../context.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { Erc1155Token } from "../nft-tokens/types.ts";
import { unindexedErc1155Token } from "../nft-tokens/unindexed.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { filteredTransfers, hasOnlyBlocks } from "../transfers/filtered.ts";
import { Erc1155Transfer, Erc1155TransferConnection, Erc1155TransfersArgs } from "./types.ts";

@Resolver(() => Erc1155Transfer)
export class Erc1155TransferResolver {
  @Query(() => Erc1155TransferConnection, {
    description: "List the ERC-1155 transfers from or to an address, newest first.",
  })
  erc1155Transfers(
    @Args(() => Erc1155TransfersArgs) args: Erc1155TransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    const { erc1155Transfers, load, work } = context;
    if (hasOnlyBlocks(args)) return erc1155Transfers.page(args, work);
    return filteredTransfers(args, load.erc1155TransfersOfAddress, context);
  }

  @FieldResolver(() => Erc1155Token, { description: "Token that was transferred." })
  async erc1155Token(
    @Root() { chainId, tokenAddress, tokenId }: Erc1155Transfer,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc1155Token> {
    const key = { chainId, address: tokenAddress, tokenId };
    return (await load.erc1155Token(key)) ?? unindexedErc1155Token(key);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, { nullable: true, description: "The address `operator`." })
  operatorEvmAddress(@Root() { chainId, operator }: Erc1155Transfer): EvmAddress {
    return { chainId, address: operator };
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction of the transfer." })
  transaction(
    @Root() { chainId, txHash }: Erc1155Transfer,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the transfer." })
  block(@Root() { chainId, blockNumber }: Erc1155Transfer, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }
}

/** Resolves a transfer by its federation key. */
export async function resolveErc1155TransferReference(
  key: {
    readonly chainId: string;
    readonly blockNumber: unknown;
    readonly logIndex: unknown;
    readonly batchIndex: unknown;
  },
  context: EvmContext,
): Promise<Erc1155Transfer | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  return context.load.erc1155Transfer({
    chainId,
    blockNumber: Quantity.parseValue(key.blockNumber),
    logIndex: parseIndex(key.logIndex),
    batchIndex: parseIndex(key.batchIndex),
  });
}
