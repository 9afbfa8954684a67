import { methodsOf, withArguments } from "../shared/schema/direct-resolvers.ts";
import { buildFederatedSchema } from "../shared/schema/federated-schema.ts";
import { EvmBlockResolver, resolveEvmBlockReference } from "./blocks/resolver.ts";
import { EvmBlocksArgs } from "./blocks/types.ts";
import { ChainCapabilityResolver } from "./capabilities/resolver.ts";
import { ChainIndexingResolver, ChainResolver, resolveChainReference } from "./chains/resolver.ts";
import { ContractResolver, resolveContractReference } from "./contracts/resolver.ts";
import { DeploymentResolver, resolveDeploymentReference, resolveNetworkTokenDetails } from "./deployments/resolver.ts";
import { DeploymentArgs } from "./deployments/types.ts";
import { Erc20BalanceResolver } from "./erc20-balances/resolver.ts";
import { Erc20TokenResolver, resolveErc20TokenPrice, resolveErc20TokenReference } from "./erc20-tokens/resolver.ts";
import { Erc20TransferResolver, resolveErc20TransferReference } from "./erc20-transfers/resolver.ts";
import { Erc20TransfersArgs } from "./erc20-transfers/types.ts";
import { Erc721TransferResolver, resolveErc721TransferReference } from "./erc721-transfers/resolver.ts";
import { Erc1155TransferResolver, resolveErc1155TransferReference } from "./erc1155-transfers/resolver.ts";
import { EvmAddressResolver, resolveEvmAddressReference } from "./evm-addresses/resolver.ts";
import { EvmAddress } from "./evm-addresses/types.ts";
import { IcmEventResolver, resolveIcmEventReference } from "./icm-events/resolver.ts";
import { InternalTransactionResolver, resolveInternalTransactionReference } from "./internal-transactions/resolver.ts";
import { InternalTransactionsArgs } from "./internal-transactions/types.ts";
import { NativeTokenBalanceResolver } from "./native-balances/resolver.ts";
import {
  Erc721CollectionResolver,
  Erc1155CollectionResolver,
  NftCollectionResolver,
  resolveNftCollectionReference,
} from "./nft-collections/resolver.ts";
import {
  Erc721TokenResolver,
  Erc1155TokenResolver,
  NftReindexResolver,
  resolveErc721TokenReference,
  resolveErc1155TokenReference,
} from "./nft-tokens/resolver.ts";
import { TransactionContentsResolver } from "./transactions/contents-resolver.ts";
import { EvmTransactionResolver, resolveEvmTransactionReference } from "./transactions/resolver.ts";

const blocks = new EvmBlockResolver();
const deployments = new DeploymentResolver();
const erc20Transfers = new Erc20TransferResolver();
const internalTransactions = new InternalTransactionResolver();

/** The executable schema of the evm subgraph, and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    ChainResolver,
    ChainIndexingResolver,
    EvmBlockResolver,
    EvmTransactionResolver,
    TransactionContentsResolver,
    Erc20TransferResolver,
    Erc20TokenResolver,
    NativeTokenBalanceResolver,
    Erc721TokenResolver,
    Erc1155TokenResolver,
    NftReindexResolver,
    NftCollectionResolver,
    Erc721CollectionResolver,
    Erc1155CollectionResolver,
    ChainCapabilityResolver,
    Erc721TransferResolver,
    Erc1155TransferResolver,
    InternalTransactionResolver,
    DeploymentResolver,
    ContractResolver,
    IcmEventResolver,
    Erc20BalanceResolver,
    EvmAddressResolver,
  ],
  {
    Chain: resolveChainReference,
    EvmBlock: resolveEvmBlockReference,
    EvmAddress: resolveEvmAddressReference,
    EvmTransaction: resolveEvmTransactionReference,
    Erc20Transfer: resolveErc20TransferReference,
    Erc20Token: resolveErc20TokenReference,
    Erc721Token: resolveErc721TokenReference,
    Erc1155Token: resolveErc1155TokenReference,
    NftCollection: resolveNftCollectionReference,
    Erc721Transfer: resolveErc721TransferReference,
    Erc1155Transfer: resolveErc1155TransferReference,
    EvmInternalTransaction: resolveInternalTransactionReference,
    Deployment: resolveDeploymentReference,
    Contract: resolveContractReference,
    IcmEvent: resolveIcmEventReference,
  },
  {
    directResolvers: {
      Erc20Token: { price: resolveErc20TokenPrice },
      Deployment: {
        ...methodsOf(
          deployments,
          "transaction",
          "erc20Transfers",
          "erc721Transfers",
          "erc1155Transfers",
          "internalTransactions",
          "teleporterMessageInfo",
        ),
        networkTokenDetails: resolveNetworkTokenDetails,
      },
      EvmTransaction: methodsOf(new EvmTransactionResolver(), "from", "to", "recipient", "method", "baseFeePerGas"),
      Query: {
        deployment: withArguments(DeploymentArgs, deployments.deployment),
        erc20Transfers: withArguments(Erc20TransfersArgs, erc20Transfers.erc20Transfers),
        evmBlocks: withArguments(EvmBlocksArgs, blocks.evmBlocks),
        internalTransactions: withArguments(InternalTransactionsArgs, internalTransactions.internalTransactions),
      },
    },
    entities: [EvmAddress],
  },
);
