import { type LoadersOf, lazyLoaders } from "../shared/request-context.ts";
import { createBatch, fields } from "../shared/rows/batch.ts";
import type { EvmStores } from "./stores.ts";
import { createWholeLists } from "./transfers/whole-lists.ts";

/**
 * Returns a function that creates the loaders of one request. A loader reads together everything that is requested of it in one tick:
 * rows by their keys, or the lists of several parents.
 */
export function createLoaders(stores: EvmStores): () => Loaders {
  return lazyLoaders(makersOf(stores));
}

export type Loaders = LoadersOf<ReturnType<typeof makersOf>>;

const makersOf = (stores: EvmStores) => ({ ...createRowLoaders(stores), ...createListLoaders(stores) });

function createRowLoaders(stores: EvmStores) {
  const { chains, capabilities, blocks, transactions, erc20Tokens, nftTokens, icmEvents } = stores;
  return {
    chain: () => createBatch("chain", chains.byId, fields("chainId")),
    head: () => createBatch("head", stores.findHeads, fields("chainId")),
    unindexedChain: () => createBatch("unindexedChain", stores.findUnindexedChains, fields("chainId")),
    pendingTokens: () => createBatch("pendingTokens", chains.pendingTokens, fields("chainId")),
    capabilities: () => createBatch("capabilities", capabilities.byChain, fields("chainId")),
    untracedBlock: () => createBatch("untracedBlock", capabilities.untracedBlocks, fields("chainId", "blockNumber")),
    blockByNumber: () => createBatch("blockByNumber", blocks.byNumber, fields("chainId", "blockNumber")),
    blockByHash: () => createBatch("blockByHash", blocks.byHash, fields("chainId", "blockHash")),
    transaction: () => createBatch("transaction", transactions.byHash, fields("chainId", "txHash")),
    erc20Token: () => createBatch("erc20Token", erc20Tokens.byAddress, fields("chainId", "address")),
    erc721Token: () => createBatch("erc721Token", nftTokens.erc721, fields("chainId", "address", "tokenId")),
    erc1155Token: () => createBatch("erc1155Token", nftTokens.erc1155, fields("chainId", "address", "tokenId")),
    nftCollection: () => createBatch("nftCollection", stores.nftCollections.byAddress, fields("chainId", "address")),
    contract: () => createBatch("contract", stores.contracts.byAddress, fields("chainId", "address")),
    erc20Transfer: () =>
      createBatch("erc20Transfer", stores.erc20Transfers.byKey, fields("chainId", "blockNumber", "logIndex")),
    erc721Transfer: () =>
      createBatch("erc721Transfer", stores.erc721Transfers.byKey, fields("chainId", "blockNumber", "logIndex")),
    erc1155Transfer: () =>
      createBatch(
        "erc1155Transfer",
        stores.erc1155Transfers.byKey,
        fields("chainId", "blockNumber", "logIndex", "batchIndex"),
      ),
    internalTransaction: () =>
      createBatch(
        "internalTransaction",
        stores.internalTransactions.byKey,
        fields("chainId", "blockNumber", "blockIndex", "traceIndex"),
      ),
    deployment: () =>
      createBatch(
        "deployment",
        stores.deployments.byKey,
        fields("chainId", "address", "blockNumber", "blockIndex", "traceIndex"),
      ),
    icmEvent: () => createBatch("icmEvent", icmEvents.byKey, fields("chainId", "blockNumber", "logIndex")),
    firstIcmEvent: () => createBatch("firstIcmEvent", icmEvents.first, fields("messageId", "direction")),
    erc20Balance: () =>
      createBatch(
        "erc20Balance",
        stores.erc20Balances.atBlock,
        fields("chainId", "tokenAddress", "address", "blockNumber"),
      ),
    price: () => createBatch("price", stores.priceHistory.at, fields("asset", "currency", "timestamp")),
  };
}

function createListLoaders(stores: EvmStores) {
  const { erc20Transfers, erc721Transfers, erc1155Transfers, internalTransactions, deployments, icmEvents } = stores;
  return {
    transactionsOfBlock: () => stores.transactions.ofBlock(),
    logsOfTransaction: () => stores.logs.ofTransaction(),
    erc20TransfersOfTransaction: () => erc20Transfers.ofTransaction(),
    erc20TransfersOfToken: () => erc20Transfers.ofToken(),
    erc721TransfersOfTransaction: () => erc721Transfers.ofTransaction(),
    erc1155TransfersOfTransaction: () => erc1155Transfers.ofTransaction(),
    internalTransactionsOfTransaction: () => internalTransactions.ofTransaction(),
    deploymentsOfTransaction: () => deployments.ofTransaction(),
    deploymentsOfContract: () => deployments.ofContract(),
    icmEventsOfTransaction: () => icmEvents.ofTransaction(),
    directedIcmEventsOfTransaction: () => icmEvents.directedOfTransaction(),
    wholeLists: () =>
      createWholeLists({
        erc20Transfers: erc20Transfers.allOfTransaction,
        erc721Transfers: erc721Transfers.allOfTransaction,
        erc1155Transfers: erc1155Transfers.allOfTransaction,
        internalTransactions: internalTransactions.allOfTransaction,
      }),
  };
}
