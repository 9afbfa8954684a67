import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address, Quantity } from "../../../core/scalars.ts";
import { parseIndex } from "../../shared/keyed-rows.ts";
import { CurrencyCode } from "../../shared/price.ts";
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

@Resolver(() => Deployment)
export class DeploymentResolver {
  @Query(() => Deployment, {
    description: "The last time that a contract came to be; an error `NOT_FOUND` when no indexed creation made it.",
  })
  deployment(
    @Args(() => DeploymentArgs) args: DeploymentArgs,
    @Ctx() { deployments }: EvmContext,
  ): Promise<Deployment> {
    return deployments.last(args);
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: Deployment, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "The transaction that made it." })
  transaction(
    @Root() { chainId, txHash, native }: Deployment,
    @Ctx() { load }: EvmContext,
  ): EvmTransaction | Promise<EvmTransaction | null> {
    return native ?? load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => [Erc20Transfer], { description: "All ERC-20 transfers of the transaction, in its order." })
  erc20Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc20Transfer[]> | [] {
    return lacks(deployment, "erc20Transfers") ? [] : load.wholeErc20Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [Erc721Transfer], { description: "All ERC-721 transfers of the transaction, in its order." })
  erc721Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc721Transfer[]> | [] {
    return lacks(deployment, "erc721Transfers") ? [] : load.wholeErc721Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [Erc1155Transfer], { description: "All ERC-1155 transfers of the transaction, in its order." })
  erc1155Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc1155Transfer[]> | [] {
    return lacks(deployment, "erc1155Transfers") ? [] : load.wholeErc1155Transfers(transactionKey(deployment));
  }

  @FieldResolver(() => [EvmInternalTransaction], {
    nullable: true,
    description:
      "All calls that move coin, and creations, below the transaction, in its order; null where its block was not traced: `Chain.capabilities` says why.",
  })
  async internalTransactions(
    @Root() deployment: Deployment,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmInternalTransaction[] | null> {
    const { chainId, blockNumber, isTraced } = deployment;
    if (!(isTraced ?? !(await load.untraced({ chainId, blockNumber })))) return null;
    return lacks(deployment, "internalTransactions") ? [] : load.wholeInternalTransactions(transactionKey(deployment));
  }

  @FieldResolver(() => TeleporterMessageInfo, {
    nullable: true,
    description: "The first Teleporter message that the transaction sent or received; null when there is none.",
  })
  teleporterMessageInfo(
    @Root() deployment: Deployment,
    @Ctx() context: EvmContext,
  ): Promise<TeleporterMessageInfo | null> | null {
    return lacks(deployment, "teleporterMessageInfo")
      ? null
      : teleporterMessageInfo(transactionKey(deployment), context);
  }

  @FieldResolver(() => NetworkTokenDetails, {
    nullable: true,
    description: "The chain's own token, with its price now and when the transaction was made.",
  })
  async networkTokenDetails(
    @Root() deployment: Deployment,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the prices." })
    currency: CurrencyCode,
    @Ctx() context: EvmContext,
  ): Promise<NetworkTokenDetails | null> {
    const transaction = await this.transaction(deployment, context);
    return transaction && networkTokenDetails(deployment.chainId, transaction.blockTimestamp, currency, context);
  }
}

/** True where it is known that the transaction has none, so that nobody need ask. */
const lacks = ({ parts }: Deployment, part: keyof TransactionContents): boolean => parts?.[part] === false;

/** The deployment that another subgraph names. */
export async function resolveDeploymentReference(
  key: {
    readonly chainId: string;
    readonly address: unknown;
    readonly blockNumber: unknown;
    readonly blockIndex: unknown;
    readonly traceIndex: unknown;
  },
  { configured, load }: EvmContext,
): Promise<Deployment | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  if (!chainId) return null;
  return load.deployment({
    chainId,
    address: Address.parseValue(key.address),
    blockNumber: Quantity.parseValue(key.blockNumber),
    blockIndex: parseIndex(key.blockIndex),
    traceIndex: parseIndex(key.traceIndex),
  });
}
