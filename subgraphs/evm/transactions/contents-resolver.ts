import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { EvmContext } from "../context.ts";
import { DeploymentPage } from "../deployments/types.ts";
import { Erc20TransferPage } from "../erc20-transfers/types.ts";
import { Erc721TransferPage } from "../erc721-transfers/types.ts";
import { Erc1155TransferPage } from "../erc1155-transfers/types.ts";
import { IcmEventPage } from "../icm-events/types.ts";
import { EvmInternalTransactionPage } from "../internal-transactions/types.ts";
import { EvmLogPage } from "../logs/types.ts";
import { transactionKey } from "./transaction-key.ts";
import { EvmTransaction, NestedPageArgs } from "./types.ts";

/** Lists of a transaction: logs, transfers, internal transactions and so on. */
@Resolver(() => EvmTransaction)
export class TransactionContentsResolver {
  @FieldResolver(() => EvmLogPage, { description: "Logs of the transaction, in the order in which they were emitted." })
  async logs(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmLogPage> {
    const { items, nextPageToken } = await load.logsOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, logs: items };
  }

  @FieldResolver(() => Erc20TransferPage, { description: "ERC-20 transfers in the transaction, in log order." })
  async erc20Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TransferPage> {
    const { items, nextPageToken } = await load.erc20TransfersOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, transactions: items };
  }

  @FieldResolver(() => Erc721TransferPage, { description: "ERC-721 transfers in the transaction, in log order." })
  async erc721Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721TransferPage> {
    const { items, nextPageToken } = await load.erc721TransfersOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, transactions: items };
  }

  @FieldResolver(() => Erc1155TransferPage, { description: "ERC-1155 transfers in the transaction, in log order." })
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
      "Internal transactions of every type, in the order of the call tree. Null if the block is not traced; `Chain.capabilities` has the reason.",
  })
  async internalTransactions(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmInternalTransactionPage | null> {
    const { chainId, blockNumber } = transaction;
    const [untracedBlock, { items, nextPageToken }] = await Promise.all([
      load.untracedBlock({ chainId, blockNumber }),
      load.internalTransactionsOfTransaction(transactionKey(transaction), args),
    ]);
    return untracedBlock ? null : { nextPageToken, transactions: items };
  }

  @FieldResolver(() => IcmEventPage, { description: "Interchain messaging events in the transaction, in log order." })
  async icmEvents(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<IcmEventPage> {
    const { items, nextPageToken } = await load.icmEventsOfTransaction(transactionKey(transaction), args);
    return { nextPageToken, events: items };
  }

  @FieldResolver(() => DeploymentPage, {
    description:
      "Contracts that the transaction created, in the order of the call tree. Contracts created by contracts are included only if the block is traced.",
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
