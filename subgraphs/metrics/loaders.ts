import DataLoader from "dataloader";
import { createBatch, fields } from "../shared/rows/batch.ts";
import type { ContractCall } from "./contract-calls/contract-node.ts";
import type { PageStart } from "./page-tokens/page-tokens.ts";
import type { MetricsStores } from "./stores.ts";

const HOLDERS = fields("chainId", "tokenAddress", "blockNumber", "balanceBefore", "addressBefore", "size");
const HOLDERS_BY_ADDRESS = fields("chainId", "tokenAddress", "blockNumber", "addressBefore", "size");
const SUPPLY = fields("chainId", "address", "blockNumber");

/**
 * Creates the loaders of one request. A loader of rows reads everything that is requested of it in one tick with one statement for each
 * chain. Another statement makes the tokens of all next pages.
 */
export function createLoaders(stores: MetricsStores) {
  const { activity, last24Hours, totals, indexerStates, addresses, erc20Balances, nfts } = stores;
  const { holders, holdersByAddress, holdersAbove, supplies, contractNode, pageTokens } = stores;
  const newTokens = new DataLoader<PageStart, string, string>((pages) => pageTokens.issue(pages), {
    cacheKeyFn: JSON.stringify,
  });
  const contractNumbers = new DataLoader<ContractCall, bigint | null, string>((calls) => contractNode.numbers(calls), {
    cacheKeyFn: JSON.stringify,
  });
  return {
    activity: createBatch(
      "activity",
      activity.pages,
      fields("chainId", "interval", "from", "until", "size", "isCumulative"),
    ),
    last24Hours: createBatch("last24Hours", last24Hours.byChain, fields("chainId")),
    totals: createBatch("totals", totals.byChain, fields("chainId")),
    indexerState: createBatch("indexerState", indexerStates.byChain, fields("chainId")),
    addressActivity: createBatch("addressActivity", addresses.activity, fields("chainId", "address")),
    erc20Balances: createBatch("erc20Balances", erc20Balances, fields("chainId", "address", "after", "size")),
    nfts: createBatch("nfts", nfts, fields("chainId", "address", "after", "size")),
    erc20Holders: createBatch("erc20Holders", holders.ofErc20, HOLDERS),
    erc20HoldersAtBlock: createBatch("erc20HoldersAtBlock", holders.ofErc20AtBlocks, HOLDERS),
    erc20HoldersByAddress: createBatch("erc20HoldersByAddress", holdersByAddress.ofErc20, HOLDERS_BY_ADDRESS),
    nftHolders: createBatch("nftHolders", holders.ofNfts, HOLDERS),
    nftHoldersByAddress: createBatch("nftHoldersByAddress", holdersByAddress.ofNfts, HOLDERS_BY_ADDRESS),
    erc20Supply: createBatch("erc20Supply", supplies.ofErc20, SUPPLY),
    nftSupply: createBatch("nftSupply", supplies.ofNfts, SUPPLY),
    holdersAbove: createBatch(
      "holdersAbove",
      holdersAbove.pages,
      fields("chainId", "tokenAddress", "threshold", "from", "to", "after", "size"),
    ),
    /** Calls a contract; see `ContractNode.numbers`. */
    contractNumber: (call: ContractCall) => contractNumbers.load(call),
    /** Makes the token of the page that begins after `cursor`; null if `cursor` is null, because no page follows. */
    newPageToken: async ({ cursor, ...page }: Omit<PageStart, "cursor"> & { readonly cursor: string | null }) =>
      cursor === null ? null : newTokens.load({ ...page, cursor }),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;
