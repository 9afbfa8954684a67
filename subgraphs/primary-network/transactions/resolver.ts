import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { chainInfo } from "../networks/types.ts";
import { parseFilter } from "./filter.ts";
import { amountUnlocked } from "./from-row.ts";
import {
  PrimaryNetworkTransaction,
  PrimaryNetworkTransactionArgs,
  PrimaryNetworkTransactionConnection,
  PrimaryNetworkTransactionsArgs,
} from "./types.ts";

@Resolver(() => PrimaryNetworkTransaction)
export class PrimaryNetworkTransactionResolver {
  @Query(() => PrimaryNetworkTransactionConnection, {
    description:
      "Transactions of one chain, newest first by default. If the next transaction would bring a page above 2,000 outputs, the page ends before it. A page can therefore have fewer transactions than requested.",
  })
  async primaryNetworkTransactions(
    @Args(() => PrimaryNetworkTransactionsArgs) args: PrimaryNetworkTransactionsArgs,
    @Ctx() { networks, transactions, work }: PrimaryContext,
  ): Promise<PrimaryNetworkTransactionConnection> {
    const served = await networks.requireChain(args.network, args.blockchainId);
    const { network } = served;
    const filter = parseFilter(served, args);
    const page = await transactions.page(network, filter, args, work);
    return page.with({
      pChainTransactions: filter.chain === "P" ? page.nodes : null,
      xChainTransactions: filter.chain === "X" ? page.nodes : null,
      cChainTransactions: filter.chain === "C" ? page.nodes : null,
      chainInfo: chainInfo(network, filter.chain),
    });
  }

  @Query(() => PrimaryNetworkTransaction, {
    nullable: true,
    description:
      "One transaction of any chain by ID. Null if it is not indexed. If it is not found and some chain of the network has no indexed block yet, it may be on that chain, and the request fails with `UNAVAILABLE`. Outputs, stakes and chains of the genesis have no transaction.",
  })
  async primaryNetworkTransaction(
    @Args(() => PrimaryNetworkTransactionArgs) args: PrimaryNetworkTransactionArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return transactionById(
      await context.networks.require(args.network),
      parseIdParameter("txHash", args.txHash),
      context,
    );
  }

  @FieldResolver(() => [AssetAmount], {
    description: "Total of consumed outputs and debited C-Chain accounts, by asset.",
  })
  amountUnlocked(@Root() transaction: PrimaryNetworkTransaction): AssetAmount[] {
    return amountUnlocked(transaction);
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description:
      "Staking transaction of the stake whose reward this transaction decides, or of the auto-renewed validator (ACP-236) whose settings it changes. Null for other transactions, such as a RemoveSubnetValidatorTx, and for a stake of the genesis.",
  })
  stakingTransaction(
    @Root() { network, stakingTxHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return stakingTxHash === null ? null : load.transaction({ network, txHash: stakingTxHash });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that ended the stake. Null before the end and for transactions that stake nothing.",
  })
  rewardTransaction(
    @Root() { network, rewardTxHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return rewardTxHash === null ? null : load.transaction({ network, txHash: rewardTxHash });
  }
}

/** Resolves a federated reference to a transaction. */
export async function resolveTransactionReference(
  key: { readonly network: NetworkName; readonly txHash: unknown },
  context: PrimaryContext,
): Promise<PrimaryNetworkTransaction | null> {
  const network = await context.networks.get(key.network);
  return network && transactionById(network, parseIdParameter("txHash", String(key.txHash)), context);
}

/** Null only if it is certain that no chain has the transaction; throws `UNAVAILABLE` while a chain is not indexed. */
async function transactionById(
  served: ServedNetwork,
  txHash: string,
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkTransaction | null> {
  const found = await load.transaction({ network: served.network, txHash });
  if (!found) await networks.requireIndexed(served, "P", "X", "C");
  return found;
}
