import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import { parseIndex } from "../../shared/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { EvmInternalTransaction, EvmInternalTransactionPage, InternalTransactionsArgs } from "./types.ts";

@Resolver(() => EvmInternalTransaction)
export class InternalTransactionResolver {
  @Query(() => EvmInternalTransactionPage, {
    description:
      "Calls that move coin, and creations, from or to an address, newest first. An error `NOT_FOUND` where the chain has none indexed, `UNAVAILABLE` where blocks of the range are missing.",
  })
  internalTransactions(
    @Args(() => InternalTransactionsArgs) args: InternalTransactionsArgs,
    @Ctx() { internalTransactions }: EvmContext,
  ): Promise<EvmInternalTransactionPage> {
    return internalTransactions.page(args);
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "The transaction that it happened in." })
  transaction(
    @Root() { chainId, txHash }: EvmInternalTransaction,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Its block." })
  block(
    @Root() { chainId, blockNumber }: EvmInternalTransaction,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }
}

/** The internal transaction that another subgraph names. */
export async function resolveInternalTransactionReference(
  key: {
    readonly chainId: string;
    readonly blockNumber: unknown;
    readonly blockIndex: unknown;
    readonly traceIndex: unknown;
  },
  { configured, load }: EvmContext,
): Promise<EvmInternalTransaction | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  if (!chainId) return null;
  return load.internalTransaction({
    chainId,
    blockNumber: Quantity.parseValue(key.blockNumber),
    blockIndex: parseIndex(key.blockIndex),
    traceIndex: parseIndex(key.traceIndex),
  });
}
