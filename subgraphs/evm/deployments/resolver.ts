import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import { CurrencyCode } from "../../shared/prices/price.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { type Loaded, withValue } from "../../shared/schema/loaded.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { Erc20Transfer } from "../erc20-transfers/types.ts";
import { Erc721Transfer } from "../erc721-transfers/types.ts";
import { Erc1155Transfer } from "../erc1155-transfers/types.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { teleporterMessageInfo } from "../icm-events/teleporter.ts";
import { TeleporterMessageInfo } from "../icm-events/types.ts";
import { EvmInternalTransaction } from "../internal-transactions/types.ts";
import { networkTokenDetails } from "../prices/network-token.ts";
import { NetworkTokenDetails } from "../prices/types.ts";
import { transactionKey } from "../transactions/transaction-key.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { contentsOf, isLatest } from "./latest.ts";
import { Deployment, DeploymentArgs } from "./types.ts";

@Resolver(() => Deployment)
export class DeploymentResolver {
  @Query(() => Deployment, {
    description: "Get the latest deployment of a contract. Fails with `NOT_FOUND` if none is indexed.",
  })
  deployment(
    @Args(() => DeploymentArgs) args: DeploymentArgs,
    @Ctx() { deployments, work }: EvmContext,
  ): Promise<Deployment> {
    return deployments.latest(args, work);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the contract; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Deployment, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Contract, { nullable: true, description: "The contract." })
  contract(@Root() { chainId, address }: Deployment): Contract {
    return { chainId, address };
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, { nullable: true, description: "The address `creator`." })
  creatorEvmAddress(@Root() { chainId, creator }: Deployment): EvmAddress {
    return { chainId, address: creator };
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction that created the contract." })
  transaction(
    @Root() deployment: Deployment,
    @Ctx() { load }: EvmContext,
  ): EvmTransaction | Promise<EvmTransaction | null> {
    if (isLatest(deployment)) return deployment.transaction;
    const { chainId, txHash } = deployment;
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => [Erc20Transfer], { description: "All ERC-20 transfers of the transaction, in log order." })
  erc20Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc20Transfer[]> | [] {
    return contentsOf(deployment).erc20Transfers ? load.wholeLists.erc20Transfers(transactionKey(deployment)) : [];
  }

  @FieldResolver(() => [Erc721Transfer], { description: "All ERC-721 transfers of the transaction, in log order." })
  erc721Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc721Transfer[]> | [] {
    return contentsOf(deployment).erc721Transfers ? load.wholeLists.erc721Transfers(transactionKey(deployment)) : [];
  }

  @FieldResolver(() => [Erc1155Transfer], { description: "All ERC-1155 transfers of the transaction, in log order." })
  erc1155Transfers(@Root() deployment: Deployment, @Ctx() { load }: EvmContext): Promise<Erc1155Transfer[]> | [] {
    return contentsOf(deployment).erc1155Transfers ? load.wholeLists.erc1155Transfers(transactionKey(deployment)) : [];
  }

  @FieldResolver(() => [EvmInternalTransaction], {
    nullable: true,
    description:
      "All internal transactions of the transaction in call tree order, without those of type `UNKNOWN`. Null if the block is not traced; `Chain.capabilities` has the reason.",
  })
  internalTransactions(
    @Root() deployment: Deployment,
    @Ctx() context: EvmContext,
  ): Loaded<EvmInternalTransaction[] | null> {
    if (isLatest(deployment)) return tracedTransactions(deployment, deployment.isTraced, context);
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
    const { teleporterMessageInfo: hasMessage } = contentsOf(deployment);
    return hasMessage ? teleporterMessageInfo(transactionKey(deployment), context) : null;
  }

  @FieldResolver(() => NetworkTokenDetails, {
    nullable: true,
    description: "Native token of the chain, with its current price and its price at the time of the transaction.",
  })
  networkTokenDetails(
    @Root() deployment: Deployment,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the prices." })
    currency: CurrencyCode,
    @Ctx() context: EvmContext,
  ): Loaded<NetworkTokenDetails | null> {
    const detailsAt = (transaction: EvmTransaction | null): Loaded<NetworkTokenDetails | null> =>
      transaction && networkTokenDetails(deployment.chainId, transaction.blockTimestamp, currency, context);
    return withValue(this.transaction(deployment, context), detailsAt);
  }
}

/** Null if the block is not traced. */
function tracedTransactions(
  deployment: Deployment,
  isTraced: boolean,
  { load }: EvmContext,
): Loaded<EvmInternalTransaction[] | null> {
  if (!isTraced) return null;
  return contentsOf(deployment).internalTransactions
    ? load.wholeLists.internalTransactions(transactionKey(deployment))
    : [];
}

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
