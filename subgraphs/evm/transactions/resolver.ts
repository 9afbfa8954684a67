import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Hash, Integer, Quantity } from "../../../core/scalars.ts";
import { RichAddress, richAddress, ZERO_ADDRESS } from "../addresses/types.ts";
import { EvmBlock } from "../blocks/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import { DeploymentPage } from "../deployments/types.ts";
import { Erc20TransferPage } from "../erc20-transfers/types.ts";
import { Erc721TransferPage } from "../erc721-transfers/types.ts";
import { Erc1155TransferPage } from "../erc1155-transfers/types.ts";
import { IcmEventPage } from "../icm-events/types.ts";
import { EvmInternalTransactionPage } from "../internal-transactions/types.ts";
import { EvmLogPage } from "../logs/types.ts";
import { Method } from "../methods/types.ts";
import { transactionKey } from "./transaction-key.ts";
import { EvmTransaction, EvmTransactionPage, EvmTransactionsArgs, NestedPageArgs } from "./types.ts";

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
  from(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): RichAddress | Promise<RichAddress> {
    return addressOf(transaction, transaction.from, context);
  }

  @FieldResolver(() => RichAddress, { nullable: true, description: "Whom it was sent to; null: a creation." })
  async to(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<RichAddress | null> {
    return transaction.to === null ? null : addressOf(transaction, transaction.to, context);
  }

  @FieldResolver(() => RichAddress, { description: "Whom it was sent to; the zero address for a creation." })
  recipient(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): RichAddress | Promise<RichAddress> {
    return addressOf(transaction, transaction.to ?? ZERO_ADDRESS, context);
  }

  @FieldResolver(() => Method, { description: "What it asked for." })
  method(@Root() transaction: EvmTransaction, @Ctx() { methods }: EvmContext): Method {
    return methods.of(transaction);
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Its block." })
  block(@Root() { chainId, blockNumber }: EvmTransaction, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Base fee of a unit of gas in its block, as `EvmBlock.baseFee`.",
  })
  async baseFeePerGas(@Root() transaction: EvmTransaction, @Ctx() context: EvmContext): Promise<string | null> {
    return transaction.baseFee ?? (await this.block(transaction, context))?.baseFee ?? null;
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
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmLogPage> {
    const { items, nextPageToken } = await load.logsOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, logs: items };
  }

  @FieldResolver(() => Erc20TransferPage, { description: "The ERC-20 transfers in it, in its order." })
  async erc20Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TransferPage> {
    const { items, nextPageToken } = await load.transfersOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, transactions: items };
  }

  @FieldResolver(() => Erc721TransferPage, { description: "The ERC-721 transfers in it, in its order." })
  async erc721Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721TransferPage> {
    const { items, nextPageToken } = await load.erc721TransfersOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, transactions: items };
  }

  @FieldResolver(() => Erc1155TransferPage, { description: "The ERC-1155 transfers in it, in its order." })
  async erc1155Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc1155TransferPage> {
    const { items, nextPageToken } = await load.erc1155TransfersOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, transactions: items };
  }

  @FieldResolver(() => EvmInternalTransactionPage, {
    nullable: true,
    description:
      "What moved coin or made a contract below it, of any kind, in its order; null where its block was not traced: `Chain.capabilities` says why.",
  })
  async internalTransactions(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmInternalTransactionPage | null> {
    const { chainId, blockNumber } = transaction;
    const [untraced, { items, nextPageToken }] = await Promise.all([
      load.untraced({ chainId, blockNumber }),
      load.internalTransactionsOfTransaction(transactionKey(transaction), args),
    ]);
    return untraced ? null : { nextPageToken, transactions: items };
  }

  @FieldResolver(() => IcmEventPage, { description: "The interchain events in it, in its order." })
  async icmEvents(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<IcmEventPage> {
    const { items, nextPageToken } = await load.icmEventsOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, events: items };
  }

  @FieldResolver(() => DeploymentPage, {
    description: "The contracts that it made, in its order; those that contracts made only where its block was traced.",
  })
  async deployments(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<DeploymentPage> {
    const { items, nextPageToken } = await load.deploymentsOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, deployments: items };
  }
}

function addressOf(
  { chainId, hasTokenAddress }: EvmTransaction,
  address: string,
  { load }: EvmContext,
): RichAddress | Promise<RichAddress> {
  if (hasTokenAddress === false || address === ZERO_ADDRESS) return richAddress(address, null);
  return load.token({ chainId, address }).then((token) => richAddress(address, token));
}

/** The transaction that another subgraph names. */
export async function resolveEvmTransactionReference(
  key: { readonly chainId: string; readonly txHash: unknown },
  { configured, load }: EvmContext,
): Promise<EvmTransaction | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  return chainId ? load.transaction({ chainId, txHash: Hash.parseValue(key.txHash) }) : null;
}
