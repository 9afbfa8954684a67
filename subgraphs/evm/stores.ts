import type { Config } from "../../core/config/config-schema.ts";
import { EVM_BLOCKS } from "../../core/database/block-channels.ts";
import type { Databases } from "../../core/database/database.ts";
import type { PageTokens } from "../../core/graph/page.ts";
import { createChains } from "../../core/networks/chains.ts";
import { createMethodTable } from "../../core/networks/methods/table.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createBlockNotifications } from "../shared/new-blocks/notifications.ts";
import { createBlockSubscriptions } from "../shared/new-blocks/subscriptions.ts";
import { createQuarantinedNodes } from "../shared/nodes/quarantined-nodes.ts";
import { createCurrentPrices } from "../shared/prices/current-prices.ts";
import { createPriceStore } from "../shared/prices/price-store.ts";
import { createFindEvmBlocksAt } from "../shared/rows/evm-blocks-at.ts";
import { createAccountNode } from "./account-node/account-node.ts";
import { createBlockStore } from "./blocks/store.ts";
import { createCapabilityStore } from "./capabilities/store.ts";
import { createChainCounts } from "./chains/counts.ts";
import { createFindHeads } from "./chains/heads.ts";
import { createFindUnindexedChains } from "./chains/require-indexed.ts";
import { createChainStore } from "./chains/store.ts";
import { createFindImplementation } from "./contract-code/find-implementation.ts";
import { createIsContract } from "./contract-code/is-contract.ts";
import { createContractStore } from "./contracts/store.ts";
import { createAbiStore } from "./decoding/abi-store.ts";
import { createFailureStore } from "./decoding/failure-store.ts";
import { createImplementationStore } from "./decoding/implementation-store.ts";
import { createDeploymentStore } from "./deployments/store.ts";
import { createErc20BalanceStore } from "./erc20-balances/store.ts";
import { createErc20TokenStore } from "./erc20-tokens/store.ts";
import { createErc20TransferStore } from "./erc20-transfers/store.ts";
import { createErc721TransferStore } from "./erc721-transfers/store.ts";
import { createErc1155TransferStore } from "./erc1155-transfers/store.ts";
import { createIcmEventStore } from "./icm-events/store.ts";
import { createIcmMessageStore } from "./icm-messages/store.ts";
import { createInternalTransactionStore } from "./internal-transactions/store.ts";
import { createLogStore } from "./logs/store.ts";
import { createFindBlock } from "./native-balances/find-block.ts";
import { createNativeBalanceStore } from "./native-balances/store.ts";
import { createNftCollectionStore } from "./nft-collections/store.ts";
import { createNftTokenStore } from "./nft-tokens/store.ts";
import { createTransactionStore } from "./transactions/store.ts";

export interface StoreDeps {
  readonly config: Pick<Config, "evmChains" | "prices" | "indexing" | "methodSignatures">;
  readonly database: Databases;
  readonly logger: Logger;
  /** Clock for page tokens and prices. */
  readonly nowSeconds: () => number;
  readonly pageTokens: PageTokens;
}

/** Creates all stores of the subgraph, once for all requests. `closeStores` closes their connections. */
export function createStores({ config, database: databases, logger, nowSeconds, pageTokens }: StoreDeps) {
  const { evm: database } = databases;
  const configuredChains = createChains(config);
  const blocks = createBlockStore(database, configuredChains, pageTokens);
  const erc20Tokens = createErc20TokenStore(database, configuredChains, pageTokens);
  const priceHistory = createPriceStore(databases, config.prices.maxAgeSeconds);
  const accountNode = createAccountNode({ ...config.indexing, quarantined: createQuarantinedNodes(database) });
  const findBlock = createFindBlock(database);
  return {
    configuredChains,
    chains: createChainStore(database, configuredChains),
    capabilities: createCapabilityStore(database),
    blocks,
    blockSubscriptions: createBlockSubscriptions(blocks, createBlockNotifications(database.pool, logger, EVM_BLOCKS)),
    transactions: createTransactionStore(database, configuredChains, pageTokens),
    methods: createMethodTable(config.methodSignatures),
    logs: createLogStore(database, pageTokens),
    erc20Transfers: createErc20TransferStore(database, configuredChains, pageTokens, erc20Tokens),
    erc20Tokens,
    erc20Balances: createErc20BalanceStore(database),
    erc721Transfers: createErc721TransferStore(database, configuredChains, pageTokens, erc20Tokens),
    erc1155Transfers: createErc1155TransferStore(database, configuredChains, pageTokens, erc20Tokens),
    nftCollections: createNftCollectionStore(database, pageTokens),
    nftTokens: createNftTokenStore(database),
    internalTransactions: createInternalTransactionStore(database, configuredChains, pageTokens, erc20Tokens),
    deployments: createDeploymentStore(database, configuredChains, pageTokens),
    abis: createAbiStore(databases),
    failures: createFailureStore(database),
    implementations: createImplementationStore(database),
    contracts: createContractStore(database, pageTokens),
    icmEvents: createIcmEventStore(database, configuredChains, pageTokens),
    icmMessages: createIcmMessageStore(database, pageTokens),
    nativeBalances: createNativeBalanceStore({ chains: configuredChains, findBlock, node: accountNode }),
    isContract: createIsContract(accountNode),
    findImplementation: createFindImplementation(accountNode),
    findHeads: createFindHeads(database),
    findBlocksAt: createFindEvmBlocksAt(database),
    chainCounts: createChainCounts(database),
    findUnindexedChains: createFindUnindexedChains(database),
    accountNode,
    priceHistory,
    currentPrices: createCurrentPrices({ chains: configuredChains, store: priceHistory, logger, nowSeconds }),
  };
}

export type EvmStores = ReturnType<typeof createStores>;

/** Ends all subscriptions, and closes the connection for notifications and the connections to nodes. */
export async function closeStores({ blockSubscriptions, accountNode }: EvmStores): Promise<void> {
  await blockSubscriptions[Symbol.asyncDispose]();
  await accountNode[Symbol.asyncDispose]();
}
