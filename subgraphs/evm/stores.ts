import type { Chains } from "../../core/chains.ts";
import type { Database } from "../../core/database.ts";
import type { PageTokens } from "../../core/page.ts";
import { type Batch, createBatch } from "../shared/batch.ts";
import type { NestedList } from "../shared/nested-list.ts";
import type { WholeList } from "../shared/whole-list.ts";
import type { NumberKey } from "./blocks/store.ts";
import {
  type CapabilityStore,
  type ChainCapabilities,
  type ChainKey,
  createCapabilityStore,
} from "./capabilities/store.ts";
import { type ContractStore, createContractStore } from "./contracts/store.ts";
import type { Contract } from "./contracts/types.ts";
import { createDeploymentStore, type DeploymentKey, type DeploymentStore } from "./deployments/store.ts";
import type { Deployment } from "./deployments/types.ts";
import {
  type Balance,
  type BalanceKey,
  createErc20BalanceStore,
  type Erc20BalanceStore,
} from "./erc20-balances/store.ts";
import type { Erc20TokenStore } from "./erc20-tokens/store.ts";
import type { Erc20TransferStore, TransferKey } from "./erc20-transfers/store.ts";
import type { Erc20Transfer } from "./erc20-transfers/types.ts";
import { createErc721TransferStore, type Erc721TransferStore } from "./erc721-transfers/store.ts";
import type { Erc721Transfer } from "./erc721-transfers/types.ts";
import {
  type BatchTransferKey,
  createErc1155TransferStore,
  type Erc1155TransferStore,
} from "./erc1155-transfers/store.ts";
import type { Erc1155Transfer } from "./erc1155-transfers/types.ts";
import {
  createIcmEventStore,
  type End,
  type EndKey,
  type IcmEventKey,
  type IcmEventStore,
} from "./icm-events/store.ts";
import type { IcmEvent } from "./icm-events/types.ts";
import {
  createInternalTransactionStore,
  type InternalTransactionKey,
  type InternalTransactionStore,
} from "./internal-transactions/store.ts";
import type { EvmInternalTransaction } from "./internal-transactions/types.ts";

/** What a chain's transactions did, beside ERC-20 transfers. Lives as long as the process. */
export interface FactStores {
  readonly capabilities: CapabilityStore;
  readonly erc721Transfers: Erc721TransferStore;
  readonly erc1155Transfers: Erc1155TransferStore;
  readonly internalTransactions: InternalTransactionStore;
  readonly deployments: DeploymentStore;
  readonly contracts: ContractStore;
  readonly icmEvents: IcmEventStore;
  readonly erc20Balances: Erc20BalanceStore;
}

/** Loaders of the same, for one request. */
export interface FactLoaders {
  readonly capabilities: Batch<ChainKey, ChainCapabilities>;
  /** The block, when its call trees are not known. */
  readonly untraced: Batch<NumberKey, NumberKey>;
  readonly erc721Transfer: Batch<TransferKey, Erc721Transfer>;
  readonly erc1155Transfer: Batch<BatchTransferKey, Erc1155Transfer>;
  readonly internalTransaction: Batch<InternalTransactionKey, EvmInternalTransaction>;
  readonly deployment: Batch<DeploymentKey, Deployment>;
  readonly contract: Batch<ContractKey, Contract>;
  readonly icmEvent: Batch<IcmEventKey, IcmEvent>;
  readonly icmEnd: Batch<EndKey, End>;
  readonly erc20Balance: Batch<BalanceKey, Balance>;
  readonly erc721TransfersOfTransaction: NestedList<Erc721Transfer>;
  readonly erc1155TransfersOfTransaction: NestedList<Erc1155Transfer>;
  readonly internalTransactionsOfTransaction: NestedList<EvmInternalTransaction>;
  readonly deploymentsOfTransaction: NestedList<Deployment>;
  readonly deploymentsOfContract: NestedList<Deployment>;
  readonly icmEventsOfTransaction: NestedList<IcmEvent>;
  readonly directedIcmEventsOfTransaction: NestedList<IcmEvent>;
  readonly wholeErc20Transfers: WholeList<Erc20Transfer>;
  readonly wholeErc721Transfers: WholeList<Erc721Transfer>;
  readonly wholeErc1155Transfers: WholeList<Erc1155Transfer>;
  readonly wholeInternalTransactions: WholeList<EvmInternalTransaction>;
}

type ContractKey = Pick<Contract, "chainId" | "address">;

export function createFactStores(
  database: Database,
  chains: Chains,
  tokens: PageTokens,
  erc20Tokens: Erc20TokenStore,
): FactStores {
  return {
    capabilities: createCapabilityStore(database),
    erc721Transfers: createErc721TransferStore(database, chains, tokens, erc20Tokens),
    erc1155Transfers: createErc1155TransferStore(database, chains, tokens, erc20Tokens),
    internalTransactions: createInternalTransactionStore(database, chains, tokens, erc20Tokens),
    deployments: createDeploymentStore(database, chains, tokens),
    contracts: createContractStore(database),
    icmEvents: createIcmEventStore(database, chains, tokens),
    erc20Balances: createErc20BalanceStore(database),
  };
}

export function createFactLoaders(
  stores: FactStores & { readonly erc20Transfers: Pick<Erc20TransferStore, "wholeTransaction"> },
): FactLoaders {
  const { erc721Transfers, erc1155Transfers, internalTransactions, deployments, icmEvents } = stores;
  return {
    ...createRowLoaders(stores),
    erc721TransfersOfTransaction: erc721Transfers.ofTransaction(),
    erc1155TransfersOfTransaction: erc1155Transfers.ofTransaction(),
    internalTransactionsOfTransaction: internalTransactions.ofTransaction(),
    deploymentsOfTransaction: deployments.ofTransaction(),
    deploymentsOfContract: deployments.ofContract(),
    icmEventsOfTransaction: icmEvents.ofTransaction(),
    directedIcmEventsOfTransaction: icmEvents.directedOfTransaction(),
    wholeErc20Transfers: stores.erc20Transfers.wholeTransaction(),
    wholeErc721Transfers: erc721Transfers.wholeTransaction(),
    wholeErc1155Transfers: erc1155Transfers.wholeTransaction(),
    wholeInternalTransactions: internalTransactions.wholeTransaction(),
  };
}

/** Of each row its key: the members of a key come in the order in which callers name them. */
function createRowLoaders(stores: FactStores) {
  const { capabilities, erc721Transfers, erc1155Transfers, internalTransactions, deployments, icmEvents } = stores;
  return {
    capabilities: createBatch(capabilities.ofChains, ({ chainId }) => ({ chainId })),
    untraced: createBatch(capabilities.untraced, (block) => block),
    erc721Transfer: createBatch(erc721Transfers.byKey, ({ chainId, blockNumber, logIndex }) => ({
      chainId,
      blockNumber,
      logIndex,
    })),
    erc1155Transfer: createBatch(erc1155Transfers.byKey, ({ chainId, blockNumber, logIndex, batchIndex }) => ({
      chainId,
      blockNumber,
      logIndex,
      batchIndex,
    })),
    internalTransaction: createBatch(
      internalTransactions.byKey,
      ({ chainId, blockNumber, blockIndex, traceIndex }) => ({ chainId, blockNumber, blockIndex, traceIndex }),
    ),
    deployment: createBatch(deployments.byKey, ({ chainId, address, blockNumber, blockIndex, traceIndex }) => ({
      chainId,
      address,
      blockNumber,
      blockIndex,
      traceIndex,
    })),
    contract: createBatch(stores.contracts.byAddress, ({ chainId, address }) => ({ chainId, address })),
    icmEvent: createBatch(icmEvents.byKey, ({ chainId, blockNumber, logIndex }) => ({
      chainId,
      blockNumber,
      logIndex,
    })),
    icmEnd: createBatch(icmEvents.ends, ({ messageId, direction }) => ({ messageId, direction })),
    erc20Balance: createBatch(stores.erc20Balances.after, ({ chainId, tokenAddress, address, blockNumber }) => ({
      chainId,
      tokenAddress,
      address,
      blockNumber,
    })),
  };
}
