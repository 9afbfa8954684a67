import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import type { EvmContext } from "../context.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { hasOnlyBlocks } from "../transfers/filtered.ts";
import { internalTransactionsOf } from "./of-address.ts";
import { EvmInternalTransaction, EvmInternalTransactionConnection, InternalTransactionsArgs } from "./types.ts";

@Resolver(() => EvmInternalTransaction)
export class InternalTransactionResolver {
  @Query(() => EvmInternalTransactionConnection, {
    description:
      "List the internal transactions from or to an address, newest first, without those of type `UNKNOWN`. Fails with `NOT_FOUND` if the chain does not have the capability `TRACES`, and with `UNAVAILABLE` if a block that the page covers is not traced: a block from the one where the page starts to the one of its last item, or, on the last page, to the start of the range.",
  })
  internalTransactions(
    @Args(() => InternalTransactionsArgs) args: InternalTransactionsArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmInternalTransactionConnection> {
    if (hasOnlyBlocks(args)) return context.internalTransactions.page(args, context.work);
    return internalTransactionsOf({ ...args, chainId: findChainId(args.chainId, context) }, args, context);
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction of the internal transaction." })
  transaction(
    @Root() { chainId, txHash }: EvmInternalTransaction,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the internal transaction." })
  block(
    @Root() { chainId, blockNumber }: EvmInternalTransaction,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }
}

/** Resolves an internal transaction by its federation key. */
export async function resolveInternalTransactionReference(
  key: {
    readonly chainId: string;
    readonly blockNumber: unknown;
    readonly blockIndex: unknown;
    readonly traceIndex: unknown;
  },
  context: EvmContext,
): Promise<EvmInternalTransaction | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  return context.load.internalTransaction({
    chainId,
    blockNumber: Quantity.parseValue(key.blockNumber),
    blockIndex: parseIndex(key.blockIndex),
    traceIndex: parseIndex(key.traceIndex),
  });
}
