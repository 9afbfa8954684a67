import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { chainInfo } from "../networks/types.ts";
import { parseFilter } from "./filter.ts";
import { amountUnlocked } from "./from-row.ts";
import {
  PrimaryNetworkTransaction,
  PrimaryNetworkTransactionArgs,
  PrimaryNetworkTransactionPage,
  PrimaryNetworkTransactionsArgs,
} from "./types.ts";

@Resolver(() => PrimaryNetworkTransaction)
export class PrimaryNetworkTransactionResolver {
  @Query(() => PrimaryNetworkTransactionPage, {
    description:
      "Transactions of one chain. A page has fewer than `pageSize` where they have more than 2,000 outputs together.",
  })
  async primaryNetworkTransactions(
    @Args(() => PrimaryNetworkTransactionsArgs) args: PrimaryNetworkTransactionsArgs,
    @Ctx() { networks, transactions }: PrimaryContext,
  ): Promise<PrimaryNetworkTransactionPage> {
    const network = await networks.find(args.network);
    const filter = parseFilter(network, args);
    const { items, nextPageToken } = await transactions.page(network, filter, args);
    return {
      nextPageToken,
      transactions: items,
      pChainTransactions: filter.chain === "P" ? items : null,
      xChainTransactions: filter.chain === "X" ? items : null,
      cChainTransactions: filter.chain === "C" ? items : null,
      chainInfo: chainInfo(network, filter.chain),
    };
  }

  @Query(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "One transaction of any chain; null when it is not indexed, as those of the genesis.",
  })
  async primaryNetworkTransaction(
    @Args(() => PrimaryNetworkTransactionArgs) args: PrimaryNetworkTransactionArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    const { network } = await networks.find(args.network);
    return load.transaction({ network, txHash: parseIdParameter("txHash", args.txHash) });
  }

  @FieldResolver(() => [AssetAmount], {
    description: "Sum of all that it consumes, accounts of the C-Chain included.",
  })
  amountUnlocked(@Root() transaction: PrimaryNetworkTransaction): AssetAmount[] {
    return amountUnlocked(transaction);
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "The transaction that began the stake that this one ends; null of the genesis.",
  })
  stakingTransaction(
    @Root() { network, stakingTxHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return stakingTxHash === null ? null : load.transaction({ network, txHash: stakingTxHash });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "The RewardValidatorTx that ended the stake; null before, and of what stakes nothing.",
  })
  rewardTransaction(
    @Root() { network, rewardTxHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> | null {
    return rewardTxHash === null ? null : load.transaction({ network, txHash: rewardTxHash });
  }
}

/** The transaction that another subgraph names. */
export async function resolveTransactionReference(
  key: { readonly network: NetworkName; readonly txHash: unknown },
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkTransaction | null> {
  const found = await networks.get(key.network);
  return found && load.transaction({ network: found.network, txHash: parseIdParameter("txHash", String(key.txHash)) });
}
