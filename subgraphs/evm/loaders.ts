import type { Work } from "../../core/work/work.ts";
import { type LoadersOf, lazyLoaders } from "../shared/request-context.ts";
import { createLoader, fields } from "../shared/rows/loader.ts";
import type { EvmStores } from "./stores.ts";
import { createWholeLists } from "./transfers/whole-lists.ts";

/**
 * Returns a function that creates the loaders of one request. A loader reads together everything that is requested of it in one tick:
 * rows by their keys, or the lists of several parents.
 */
export function createLoaders(stores: EvmStores): (work: Work) => Loaders {
  return lazyLoaders(makersOf(stores));
}

export type Loaders = LoadersOf<ReturnType<typeof makersOf>>;

const makersOf = (stores: EvmStores) => ({ ...createRowLoaders(stores), ...createListLoaders(stores) });

function createRowLoaders(stores: EvmStores) {
  const { chains, capabilities, blocks, transactions, erc20Tokens, nftTokens, icmEvents, deployments } = stores;
  const transferKey = ["chainId", "blockNumber", "logIndex"] as const;
  const traceKey = ["blockNumber", "blockIndex", "traceIndex"] as const;
  const ofTransfers = fields(...transferKey);
  const ofBatches = fields(...transferKey, "batchIndex");
  const ofTraces = fields("chainId", ...traceKey);
  const ofDeployments = fields("chainId", "address", ...traceKey);
  const ofOwners = fields("chainId", "address", "tokenId", "blockNumber");
  const ofBalances = fields("chainId", "tokenAddress", "address", "blockNumber");
  return {
    chain: createLoader("chain", chains.byId, fields("chainId")),
    evmBlockAt: createLoader("evmBlockAt", stores.findBlocksAt, fields("chainId", "block", "time")),
    head: createLoader("head", stores.findHeads, fields("chainId")),
    chainCounts: createLoader("chainCounts", stores.chainCounts, fields("chainId")),
    unindexedChain: createLoader("unindexedChain", stores.findUnindexedChains, fields("chainId")),
    pendingTokens: createLoader("pendingTokens", chains.pendingTokens, fields("chainId")),
    capabilities: createLoader("capabilities", capabilities.byChain, fields("chainId")),
    untracedBlock: createLoader("untracedBlock", capabilities.untracedBlocks, fields("chainId", "blockNumber")),
    blockByNumber: createLoader("blockByNumber", blocks.byNumber, fields("chainId", "blockNumber")),
    blockByHash: createLoader("blockByHash", blocks.byHash, fields("chainId", "blockHash")),
    transaction: createLoader("transaction", transactions.byHash, fields("chainId", "txHash")),
    erc20Token: createLoader("erc20Token", erc20Tokens.byAddress, fields("chainId", "address")),
    erc721Token: createLoader("erc721Token", nftTokens.erc721, fields("chainId", "address", "tokenId")),
    erc721Owner: createLoader("erc721Owner", nftTokens.erc721Owners, ofOwners),
    erc1155Token: createLoader("erc1155Token", nftTokens.erc1155, fields("chainId", "address", "tokenId")),
    nftCollection: createLoader("nftCollection", stores.nftCollections.byAddress, fields("chainId", "address")),
    erc20TransferCount: createLoader("erc20TransferCount", erc20Tokens.transferCounts, fields("chainId", "address")),
    nftTransferCount: createLoader(
      "nftTransferCount",
      stores.nftCollections.transferCounts,
      fields("chainId", "address"),
    ),
    contract: createLoader("contract", stores.contracts.byAddress, fields("chainId", "address")),
    erc20Transfer: createLoader("erc20Transfer", stores.erc20Transfers.byKey, ofTransfers),
    erc721Transfer: createLoader("erc721Transfer", stores.erc721Transfers.byKey, ofTransfers),
    erc1155Transfer: createLoader("erc1155Transfer", stores.erc1155Transfers.byKey, ofBatches),
    internalTransaction: createLoader("internalTransaction", stores.internalTransactions.byKey, ofTraces),
    internalCallData: createLoader("internalCallData", stores.internalTransactions.callData, ofTraces),
    failure: createLoader("failure", stores.failures.byTransaction, fields("chainId", "blockNumber", "blockIndex")),
    abiEntries: createLoader("abiEntries", stores.abis.entriesOf, fields("chainId", "address", "kind", "selector")),
    implementation: createLoader("implementation", stores.implementations.byProxy, fields("chainId", "address")),
    deployment: createLoader("deployment", deployments.byKey, ofDeployments),
    icmEvent: createLoader("icmEvent", icmEvents.byKey, ofTransfers),
    icmMessage: createLoader("icmMessage", stores.icmMessages.byId, fields("messageId")),
    firstIcmEvent: createLoader("firstIcmEvent", icmEvents.first, fields("messageId", "direction")),
    erc20Balance: createLoader("erc20Balance", stores.erc20Balances.atBlock, ofBalances),
    price: createLoader("price", stores.priceHistory.at, fields("asset", "currency", "timestamp")),
  };
}

function createListLoaders(stores: EvmStores) {
  const { erc20Transfers, erc721Transfers, erc1155Transfers, internalTransactions, deployments, icmEvents } = stores;
  return {
    blocksOfChains: stores.blocks.ofChains,
    transactionsOfBlock: stores.transactions.ofBlock,
    transactionsOfChains: stores.transactions.ofChains,
    transactionsOfAddress: stores.transactions.ofAddress,
    failedTransactionsOfAddress: stores.transactions.failedOfAddress,
    callsOfMethod: stores.transactions.callsOfMethod,
    logsOfTransaction: stores.logs.ofTransaction,
    logsOfContract: stores.logs.ofContract,
    logsOfContractEvent: stores.logs.ofContractEvent,
    logsOfContractArgument: stores.logs.ofContractArgument,
    erc20TokensOfChain: stores.erc20Tokens.ofChain,
    nftCollectionsOfChain: stores.nftCollections.ofChain,
    tokensOfCollection: stores.nftCollections.tokens,
    contractsOfChain: stores.contracts.ofChain,
    erc20TransfersOfTransaction: erc20Transfers.ofTransaction,
    erc20TransfersOfToken: erc20Transfers.ofToken,
    erc20TransfersOfTokenByHolder: erc20Transfers.ofTokenByHolder,
    erc20TransfersOfAddress: erc20Transfers.ofAddress,
    erc721TransfersOfTransaction: erc721Transfers.ofTransaction,
    erc721TransfersOfAddress: erc721Transfers.ofAddress,
    erc721TransfersOfCollection: erc721Transfers.ofCollection,
    erc721TransfersOfToken: erc721Transfers.ofToken,
    erc1155TransfersOfTransaction: erc1155Transfers.ofTransaction,
    erc1155TransfersOfAddress: erc1155Transfers.ofAddress,
    erc1155TransfersOfCollection: erc1155Transfers.ofCollection,
    erc1155TransfersOfToken: erc1155Transfers.ofToken,
    internalTransactionsOfTransaction: internalTransactions.ofTransaction,
    internalTransactionsOfAddress: internalTransactions.ofAddress,
    traceCoverage: internalTransactions.traceCoverage,
    deploymentsOfTransaction: deployments.ofTransaction,
    deploymentsOfContract: deployments.ofContract,
    icmMessages: stores.icmMessages.lists,
    icmEventsOfTransaction: icmEvents.ofTransaction,
    directedIcmEventsOfTransaction: icmEvents.directedOfTransaction,
    wholeLists: createWholeLists({
      erc20Transfers: erc20Transfers.allOfTransaction,
      erc721Transfers: erc721Transfers.allOfTransaction,
      erc1155Transfers: erc1155Transfers.allOfTransaction,
      internalTransactions: internalTransactions.allOfTransaction,
    }),
  };
}
