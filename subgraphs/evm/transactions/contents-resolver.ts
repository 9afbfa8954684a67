import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { exactly } from "../../shared/rows/list-reader.ts";
import type { EvmContext } from "../context.ts";
import { DeploymentConnection } from "../deployments/types.ts";
import { Erc20TransferConnection } from "../erc20-transfers/types.ts";
import { Erc721TransferConnection } from "../erc721-transfers/types.ts";
import { Erc1155TransferConnection } from "../erc1155-transfers/types.ts";
import { IcmEventConnection } from "../icm-events/types.ts";
import { EvmInternalTransactionConnection } from "../internal-transactions/types.ts";
import { EvmLogConnection } from "../logs/types.ts";
import { transactionKey } from "./transaction-key.ts";
import { EvmTransaction, NestedPageArgs } from "./types.ts";

/** Lists of a transaction: logs, transfers, internal transactions and so on. */
@Resolver(() => EvmTransaction)
export class TransactionContentsResolver {
  @FieldResolver(() => EvmLogConnection, {
    description: "Logs of the transaction, in the order in which they were emitted.",
  })
  async logs(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmLogConnection> {
    const page = await load.logsOfTransaction(transactionKey(transaction), args);
    return page.countedBy(async () => exactly(transaction.logCount));
  }

  @FieldResolver(() => Erc20TransferConnection, { description: "ERC-20 transfers in the transaction, in log order." })
  erc20Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc20TransferConnection> {
    return load.erc20TransfersOfTransaction(transactionKey(transaction), args);
  }

  @FieldResolver(() => Erc721TransferConnection, { description: "ERC-721 transfers in the transaction, in log order." })
  erc721Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc721TransferConnection> {
    return load.erc721TransfersOfTransaction(transactionKey(transaction), args);
  }

  @FieldResolver(() => Erc1155TransferConnection, {
    description: "ERC-1155 transfers in the transaction, in log order.",
  })
  erc1155Transfers(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<Erc1155TransferConnection> {
    return load.erc1155TransfersOfTransaction(transactionKey(transaction), args);
  }

  @FieldResolver(() => EvmInternalTransactionConnection, {
    nullable: true,
    description:
      "Internal transactions of every type, in the order of the call tree. Null if the block is not traced; `Chain.capabilities` has the reason.",
  })
  async internalTransactions(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmInternalTransactionConnection | null> {
    const { chainId, blockNumber } = transaction;
    const [untracedBlock, page] = await Promise.all([
      load.untracedBlock({ chainId, blockNumber }),
      load.internalTransactionsOfTransaction(transactionKey(transaction), args),
    ]);
    return untracedBlock ? null : page;
  }

  @FieldResolver(() => IcmEventConnection, {
    description: "Interchain messaging events in the transaction, in log order.",
  })
  icmEvents(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<IcmEventConnection> {
    return load.icmEventsOfTransaction(transactionKey(transaction), args);
  }

  @FieldResolver(() => DeploymentConnection, {
    description:
      "Contracts that the transaction created, in the order of the call tree. Contracts created by contracts are included only if the block is traced.",
  })
  deployments(
    @Root() transaction: EvmTransaction,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<DeploymentConnection> {
    return load.deploymentsOfTransaction(transactionKey(transaction), args);
  }
}
