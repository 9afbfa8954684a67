import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address, Quantity } from "../../../core/scalars.ts";
import { CurrencyCode } from "../../shared/prices/price.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Transfer } from "../erc20-transfers/types.ts";
import { Erc721Transfer } from "../erc721-transfers/types.ts";
import { Erc1155Transfer } from "../erc1155-transfers/types.ts";
import { teleporterMessageInfo } from "../icm-events/teleporter.ts";
import { TeleporterMessageInfo } from "../icm-events/types.ts";
import { EvmInternalTransaction } from "../internal-transactions/types.ts";
import { networkTokenDetails } from "../prices/network-token.ts";
import { NetworkTokenDetails } from "../prices/types.ts";
import { transactionKey } from "../transactions/transaction-key.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { Deployment, DeploymentArgs, type TransactionContents } from "./types.ts";

type Computed<Value> = Value | Promise<Value>;

@Resolver(() => Deployment)
export class DeploymentResolver {
  @Query(() => Deployment, {
    description: "Get the latest deployment of a contract. Fails with `NOT_FOUND` if none is indexed.",
  })
  deployment(
    @Args(() => DeploymentArgs) args: DeploymentArgs,
    @Ctx() { deployments }: EvmContext,
  ): Promise<Deployment> {
    return deployments.latest(args);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the contract; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Deployment, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction that created the contract." })
  transaction(
    @Root() { chainId, txHash, loadedTransaction }: Deployment,
    @Ctx() { load }: EvmContext,
  ): EvmTransaction | Promise<EvmTransaction | null> {
    return loadedTransaction ?? load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => [Erc20Transfer], { description: "All ERC-20 transfers of the transaction, in log order." })
  erc20Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc20Transfer[]> | [] {
    return isEmpty(deployment, "erc20Transfers") ? [] : load.wholeLists.erc20Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [Erc721Transfer], { description: "All ERC-721 transfers of the transaction, in log order." })
  erc721Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc721Transfer[]> | [] {
    if (isEmpty(deployment, "erc721Transfers")) return [];
    return load.wholeLists.erc721Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [Erc1155Transfer], { description: "All ERC-1155 transfers of the transaction, in log order." })
  erc1155Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc1155Transfer[]> | [] {
    if (isEmpty(deployment, "erc1155Transfers")) return [];
    return load.wholeLists.erc1155Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [EvmInternalTransaction], {
    nullable: true,
    description:
      "All internal transactions of the transaction in call tree order, without those of type `UNKNOWN`. Null if the block is not traced; `Chain.capabilities` has the reason.",
  })
  internalTransactions(
    @Root() deployment: Deployment,
    @Ctx() context: EvmContext,
  ): Computed<EvmInternalTransaction[] | null> {
    const { isTraced } = deployment;
    if (isTraced !== undefined) return tracedTransactions(deployment, isTraced, context);
    const { chainId, blockNumber } = deployment;
    return context.load
      .untracedBlock({ chainId, blockNumber })
      .then((untraced) => tracedTransactions(deployment, !untraced, context));
  }

  @FieldResolver(() => TeleporterMessageInfo, {
    nullable: true,
    description: "First Teleporter message that the transaction sent or received; null if there is none.",
  })
  teleporterMessageInfo(
    @Root() deployment: Deployment,
    @Ctx() context: EvmContext,
  ): Promise<TeleporterMessageInfo | null> | null {
    if (isEmpty(deployment, "teleporterMessageInfo")) return null;
    return teleporterMessageInfo(transactionKey(deployment), context);
  }

  @FieldResolver(() => NetworkTokenDetails, {
    nullable: true,
    description: "Native token of the chain, with its current price and its price at the time of the transaction.",
  })
  networkTokenDetails(
    @Root() { chainId, txHash, loadedTransaction }: Deployment,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the prices." })
    currency: CurrencyCode,
    @Ctx() context: EvmContext,
  ): Computed<NetworkTokenDetails | null> {
    const detailsAt = (transaction: EvmTransaction | null): Computed<NetworkTokenDetails | null> =>
      transaction && networkTokenDetails(chainId, transaction.blockTimestamp, currency, context);
    return loadedTransaction
      ? detailsAt(loadedTransaction)
      : context.load.transaction({ chainId, txHash }).then(detailsAt);
  }
}

/** Null if the block is not traced. */
function tracedTransactions(
  deployment: Deployment,
  isTraced: boolean,
  { load }: EvmContext,
): Computed<EvmInternalTransaction[] | null> {
  if (!isTraced) return null;
  return isEmpty(deployment, "internalTransactions")
    ? []
    : load.wholeLists.internalTransactions(transactionKey(deployment));
}

/** True if the statement that read the deployment found that its transaction has nothing of this kind. */
const isEmpty = ({ contents }: Deployment, list: keyof TransactionContents): boolean => contents?.[list] === false;

/** Resolves a deployment by its federation key. */
export async function resolveDeploymentReference(
  key: {
    readonly chainId: string;
    readonly address: unknown;
    readonly blockNumber: unknown;
    readonly blockIndex: unknown;
    readonly traceIndex: unknown;
  },
  context: EvmContext,
): Promise<Deployment | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  return context.load.deployment({
    chainId,
    address: Address.parseValue(key.address),
    blockNumber: Quantity.parseValue(key.blockNumber),
    blockIndex: parseIndex(key.blockIndex),
    traceIndex: parseIndex(key.traceIndex),
  });
}
