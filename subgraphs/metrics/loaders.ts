import { createDataLoader } from "../../core/database/data-loader.ts";
import type { Work } from "../../core/work/work.ts";
import { type LoadersOf, lazyLoaders } from "../shared/request-context.ts";
import { createLoader, fields } from "../shared/rows/loader.ts";
import type { ContractCall } from "./contract-calls/contract-node.ts";
import type { MetricsStores } from "./stores.ts";

const ACTIVITY = fields("chainId", "interval", "from", "until", "size", "isCumulative");
const HOLDERS = fields("chainId", "tokenAddress", "tokenId", "blockNumber", "balance", "address", "isBackward", "size");
const HOLDERS_BY_ADDRESS = fields("chainId", "tokenAddress", "tokenId", "blockNumber", "address", "isBackward", "size");
const HOLDERS_ABOVE = fields("chainId", "tokenAddress", "threshold", "from", "to", "after", "size");
const HOLDINGS_AT_BLOCK = fields("chainId", "address", "blockNumber", "after", "isBackward", "size");
const SUPPLY = fields("chainId", "address", "tokenId", "blockNumber");

/**
 * Returns a function that creates the loaders of one request. A loader of rows reads everything that is requested of it in one tick with one
 * statement for each chain.
 */
export function createLoaders(stores: MetricsStores): (work: Work) => Loaders {
  return lazyLoaders(makersOf(stores));
}

export type Loaders = LoadersOf<ReturnType<typeof makersOf>>;

const makersOf = (stores: MetricsStores) => ({ ...createRowLoaders(stores), ...createOtherLoaders(stores) });

function createRowLoaders(stores: MetricsStores) {
  const { activity, last24Hours, totals, indexerStates, addresses, erc20Balances, nfts } = stores;
  const { holders, holdersByAddress, holdersAbove, supplies } = stores;
  return {
    activity: createLoader("activity", activity.pages, ACTIVITY),
    last24Hours: createLoader("last24Hours", last24Hours.byChain, fields("chainId")),
    totals: createLoader("totals", totals.byChain, fields("chainId")),
    indexerState: createLoader("indexerState", indexerStates.byChain, fields("chainId")),
    evmBlockAt: createLoader("evmBlockAt", stores.findBlocksAt, fields("chainId", "block", "time")),
    price: createLoader("price", stores.priceHistory.at, fields("asset", "currency", "timestamp")),
    addressActivity: createLoader("addressActivity", addresses.activity, fields("chainId", "address")),
    erc20Balances: createLoader(
      "erc20Balances",
      erc20Balances,
      fields("chainId", "address", "after", "isBackward", "size"),
    ),
    erc20BalancesAtBlock: createLoader("erc20BalancesAtBlock", stores.erc20BalancesAtBlocks, HOLDINGS_AT_BLOCK),
    nfts: createLoader("nfts", nfts, fields("chainId", "address", "after", "isBackward", "size")),
    nftsAtBlock: createLoader("nftsAtBlock", stores.nftsAtBlocks, HOLDINGS_AT_BLOCK),
    erc20Holders: createLoader("erc20Holders", holders.ofErc20, HOLDERS),
    erc20HoldersAtBlock: createLoader("erc20HoldersAtBlock", holders.ofErc20AtBlocks, HOLDERS),
    erc20HoldersByAddress: createLoader("erc20HoldersByAddress", holdersByAddress.ofErc20, HOLDERS_BY_ADDRESS),
    nftHolders: createLoader("nftHolders", holders.ofNfts, HOLDERS),
    nftHoldersByAddress: createLoader("nftHoldersByAddress", holdersByAddress.ofNfts, HOLDERS_BY_ADDRESS),
    nftHoldersAtBlock: createLoader("nftHoldersAtBlock", holdersByAddress.ofNftsAtBlocks, HOLDERS_BY_ADDRESS),
    erc1155Holders: createLoader("erc1155Holders", holders.ofErc1155, HOLDERS),
    erc1155HoldersByAddress: createLoader("erc1155HoldersByAddress", holdersByAddress.ofErc1155, HOLDERS_BY_ADDRESS),
    erc1155Balance: createLoader(
      "erc1155Balance",
      stores.erc1155Balances,
      fields("chainId", "tokenAddress", "tokenId", "address", "blockNumber"),
    ),
    erc20Supply: createLoader("erc20Supply", supplies.ofErc20, SUPPLY),
    nftSupply: createLoader("nftSupply", supplies.ofNfts, SUPPLY),
    erc1155Supply: createLoader("erc1155Supply", supplies.ofErc1155, SUPPLY),
    holdersAbove: createLoader("holdersAbove", holdersAbove.pages, HOLDERS_ABOVE),
  };
}

function createOtherLoaders({ accounts, contractNode }: MetricsStores) {
  return {
    accounts,
    /** Calls a contract; see `ContractNode.numbers`. */
    contractNumber() {
      const numbers = createDataLoader("contractNumber", (calls: readonly ContractCall[]) =>
        contractNode.numbers(calls),
      );
      return (call: ContractCall) => numbers.load(call);
    },
  };
}
