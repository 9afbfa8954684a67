import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Integer, Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import type { EvmContext } from "../context.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { filteredTransfers, hasOnlyBlocks } from "../transfers/filtered.ts";
import { Erc20Transfer, Erc20TransferConnection, Erc20TransfersArgs } from "./types.ts";

@Resolver(() => Erc20Transfer)
export class Erc20TransferResolver {
  @Query(() => Erc20TransferConnection, {
    description: "List the ERC-20 transfers from or to an address, newest first.",
  })
  erc20Transfers(
    @Args(() => Erc20TransfersArgs) args: Erc20TransfersArgs,
    @Ctx() context: EvmContext,
  ): Promise<Erc20TransferConnection> {
    const { erc20Transfers, load, work } = context;
    if (hasOnlyBlocks(args)) return erc20Transfers.page(args, work);
    return filteredTransfers(args, load.erc20TransfersOfAddress, context);
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction of the transfer." })
  transaction(@Root() { chainId, txHash }: Erc20Transfer, @Ctx() { load }: EvmContext): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the transfer." })
  block(@Root() { chainId, blockNumber }: Erc20Transfer, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => Integer, {
    nullable: true,
    description: "Timestamp of the block in milliseconds; null for blocks before the Granite upgrade.",
  })
  async blockTimestampMilliseconds(
    @Root() transfer: Erc20Transfer,
    @Ctx() context: EvmContext,
  ): Promise<string | null> {
    return (await this.block(transfer, context))?.blockTimestampMilliseconds ?? null;
  }
}

/** Resolves a transfer by its federation key. */
export async function resolveErc20TransferReference(
  key: { readonly chainId: string; readonly blockNumber: unknown; readonly logIndex: unknown },
  context: EvmContext,
): Promise<Erc20Transfer | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  const blockNumber = Quantity.parseValue(key.blockNumber);
  return context.load.erc20Transfer({ chainId, blockNumber, logIndex: parseIndex(key.logIndex) });
}
