import { createBatch, fields } from "../shared/rows/batch.ts";
import type { EvmStores } from "./stores.ts";

/**
 * Creates the loaders of one request. Rows that are requested by key in one tick are one statement, and so are the lists
 * of all parents in one tick.
 */
export function createLoaders(stores: EvmStores) {
  return { ...createRowLoaders(stores), ...createListLoaders(stores) };
}

export type Loaders = ReturnType<typeof createLoaders>;

function createRowLoaders(stores: EvmStores) {
  const { chains, capabilities, blocks, transactions, erc20Tokens, nftTokens, icmEvents } = stores;
  return {
    chain: createBatch(chains.byId, fields("chainId")),
    head: createBatch(stores.findHeads, fields("chainId")),
    pendingTokens: createBatch(chains.pendingTokens, fields("chainId")),
    capabilities: createBatch(capabilities.byChain, fields("chainId")),
    untracedBlock: createBatch(capabilities.untracedBlocks, fields("chainId", "blockNumber")),
    blockByNumber: createBatch(blocks.byNumber, fields("chainId", "blockNumber")),
    blockByHash: createBatch(blocks.byHash, fields("chainId", "blockHash")),
    transaction: createBatch(transactions.byHash, fields("chainId", "txHash")),
    erc20Token: createBatch(erc20Tokens.byAddress, fields("chainId", "address")),
    erc721Token: createBatch(nftTokens.erc721, fields("chainId", "address", "tokenId")),
    erc1155Token: createBatch(nftTokens.erc1155, fields("chainId", "address", "tokenId")),
    nftCollection: createBatch(stores.nftCollections.byAddress, fields("chainId", "address")),
    contract: createBatch(stores.contracts.byAddress, fields("chainId", "address")),
    erc20Transfer: createBatch(stores.erc20Transfers.byKey, fields("chainId", "blockNumber", "logIndex")),
    erc721Transfer: createBatch(stores.erc721Transfers.byKey, fields("chainId", "blockNumber", "logIndex")),
    erc1155Transfer: createBatch(
      stores.erc1155Transfers.byKey,
      fields("chainId", "blockNumber", "logIndex", "batchIndex"),
    ),
    internalTransaction: createBatch(
      stores.internalTransactions.byKey,
      fields("chainId", "blockNumber", "blockIndex", "traceIndex"),
    ),
    deployment: createBatch(
      stores.deployments.byKey,
      fields("chainId", "address", "blockNumber", "blockIndex", "traceIndex"),
    ),
    icmEvent: createBatch(icmEvents.byKey, fields("chainId", "blockNumber", "logIndex")),
    firstIcmEvent: createBatch(icmEvents.first, fields("messageId", "direction")),
    erc20Balance: createBatch(
      stores.erc20Balances.atBlock,
      fields("chainId", "tokenAddress", "address", "blockNumber"),
    ),
    price: createBatch(stores.priceHistory.at, fields("asset", "currency", "timestamp")),
  };
}

function createListLoaders(stores: EvmStores) {
  const { erc20Transfers, erc721Transfers, erc1155Transfers, internalTransactions, deployments, icmEvents } = stores;
  return {
    transactionsOfBlock: stores.transactions.ofBlock(),
    logsOfTransaction: stores.logs.ofTransaction(),
    erc20TransfersOfTransaction: erc20Transfers.ofTransaction(),
    erc20TransfersOfToken: erc20Transfers.ofToken(),
    erc721TransfersOfTransaction: erc721Transfers.ofTransaction(),
    erc1155TransfersOfTransaction: erc1155Transfers.ofTransaction(),
    internalTransactionsOfTransaction: internalTransactions.ofTransaction(),
    deploymentsOfTransaction: deployments.ofTransaction(),
    deploymentsOfContract: deployments.ofContract(),
    icmEventsOfTransaction: icmEvents.ofTransaction(),
    directedIcmEventsOfTransaction: icmEvents.directedOfTransaction(),
    allErc20TransfersOfTransaction: erc20Transfers.allOfTransaction(),
    allErc721TransfersOfTransaction: erc721Transfers.allOfTransaction(),
    allErc1155TransfersOfTransaction: erc1155Transfers.allOfTransaction(),
    allInternalTransactionsOfTransaction: internalTransactions.allOfTransaction(),
  };
}
