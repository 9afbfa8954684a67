import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Hash, Integer, Quantity } from "../../../core/scalars.ts";
import { EvmBlock } from "../blocks/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import { Erc20TransferPage } from "../erc20-transfers/types.ts";
import { EvmLogPage } from "../logs/types.ts";
import { RichAddress, richAddress } from "../rich-address.ts";
import { BelowArgs, EvmTransaction, EvmTransactionPage, EvmTransactionsArgs } from "./types.ts";

@Resolver(() => EvmTransaction)
export class EvmTransactionResolver {
  @Query(() => EvmTransactionPage, { description: "The latest indexed transactions of a chain, newest first." })
  evmTransactions(
    @Args(() => EvmTransactionsArgs) args: EvmTransactionsArgs,
    @Ctx() { transactions }: EvmContext,
  ): Promise<EvmTransactionPage> {
    return transactions.page(args);
  }

  @Query(() => EvmTransaction, { nullable: true, description: "One transaction; null when it is not indexed." })
  evmTransaction(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainId: string,
    @Arg("txHash", () => Hash, { description: "Hash of the transaction." }) txHash: string,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransaction | null> {
    return context.load.transaction({ chainId: chainIdOf(chainId, context), txHash });
  }

  @FieldResolver(() => RichAddress, { description: "Who sent it." })
  from(@Root() { chainId, from }: EvmTransaction, @Ctx() context: EvmContext): Promise<RichAddress> {
    return addressOf(chainId, from, context);
  }

  @FieldResolver(() => RichAddress, { nullable: true, description: "Whom it was sent to; null: a creation." })
  async to(@Root() { chainId, to }: EvmTransaction, @Ctx() context: EvmContext): Promise<RichAddress | null> {
    return to === null ? null : addressOf(chainId, to, context);
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Its block." })
  block(@Root() { chainId, blockNumber }: EvmTransaction, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => Quantity, { nullable: true, description: "Base fee of a unit of gas in its block." })
  async baseFeePerGas(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return (await this.block(transaction, context))?.baseFee ?? null;
  }

  @FieldResolver(() => Integer, {
    nullable: true,
    description: "When its block was made, in milliseconds; null before Granite.",
  })
  async blockTimestampMilliseconds(
    @Root() transaction: EvmTransaction,
    @Ctx() context: EvmContext,
  ): Promise<string | null> {
    return (await this.block(transaction, context))?.blockTimestampMilliseconds ?? null;
  }

  @FieldResolver(() => Integer, {
    nullable: true,
    description: "Minimum delay excess of its block (ACP-226); null before Granite.",
  })
  async blockMinDelayExcess(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return (await this.block(transaction, context))?.blockMinDelayExcess ?? null;
  }

  @FieldResolver(() => EvmLogPage, { description: "Its logs, in the order in which they were emitted." })
  async logs(
    @Root() { chainId, blockNumber, blockIndex }: EvmTransaction,
    @Args(() => BelowArgs) args: BelowArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmLogPage> {
    const { items, nextPageToken } = await load.logsOfTransaction([chainId, blockNumber, String(blockIndex)], args);
    return { nextPageToken, logs: items };
  }

  @FieldResolver(() => Erc20TransferPage, { description: "The ERC-20 transfers in it, in its order." })
  async erc20Transfers(
    @Root() { chainId, blockNumber, blockIndex }: EvmTransaction,
    @Args(() => BelowArgs) args: BelowArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TransferPage> {
    const parent = [chainId, blockNumber, String(blockIndex)];
    const { items, nextPageToken } = await load.transfersOfTransaction(parent, args);
    return { nextPageToken, transactions: items };
  }
}

async function addressOf(chainId: string, address: string, { load }: EvmContext): Promise<RichAddress> {
  return richAddress(address, await load.token({ chainId, address }));
}

/** The transaction that another subgraph names. */
export async function resolveEvmTransactionReference(
  key: { readonly chainId: string; readonly txHash: unknown },
  { configured, load }: EvmContext,
): Promise<EvmTransaction | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  return chainId ? load.transaction({ chainId, txHash: Hash.parseValue(key.txHash) }) : null;
}
