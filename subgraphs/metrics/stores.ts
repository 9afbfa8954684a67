import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import type { PageTokens } from "../../core/graph/page.ts";
import { createChains } from "../../core/networks/chains.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createQuarantinedNodes } from "../shared/nodes/quarantined-nodes.ts";
import { createCurrentPrices } from "../shared/prices/current-prices.ts";
import { createPriceStore } from "../shared/prices/price-store.ts";
import { createFindEvmBlocksAt } from "../shared/rows/evm-blocks-at.ts";
import { createActivityStore } from "./activity/store.ts";
import { createErc20BalancesAtBlocks } from "./address-balances/at-blocks.ts";
import { createErc20BalanceList } from "./address-balances/store.ts";
import { createNftsAtBlocks } from "./address-nfts/at-blocks.ts";
import { createNftList } from "./address-nfts/store.ts";
import { createAccountLists } from "./addresses/account-lists.ts";
import { createAddressStore } from "./addresses/store.ts";
import { createIndexerStates } from "./chains/indexer-states.ts";
import { createContractNode } from "./contract-calls/contract-node.ts";
import { createErc1155Balances } from "./erc1155-tokens/balance-store.ts";
import { createHoldersByAddressStore } from "./holders/by-address.ts";
import { createHolderStore } from "./holders/store.ts";
import { createHoldersAboveStore } from "./holders-above/store.ts";
import { createLast24HoursStore } from "./last-24-hours/store.ts";
import type { UuidTokens } from "./page-tokens/uuid-tokens.ts";
import { createSearchStore } from "./search/store.ts";
import { createSupplyStore } from "./supplies/store.ts";
import { createTotalsStore } from "./totals/store.ts";

export interface StoreDeps {
  readonly config: Pick<Config, "evmChains" | "primaryNetworks" | "prices" | "indexing">;
  readonly database: Pick<Databases, "pool" | "evm" | "primary">;
  readonly logger: Logger;
  /** Clock of prices. */
  readonly nowSeconds: () => number;
  /** Signs and reads cursors. */
  readonly cursors: PageTokens;
  /** Makes and reads page tokens that are UUIDs. */
  readonly uuidTokens: UuidTokens;
  /** Number of addresses that a statement considers for a page of holders. Default: 10,000. */
  readonly maxCandidates?: number;
}

/** Creates all stores of the subgraph, once for all requests. `contractNode` has connections to close. */
export function createStores({
  config,
  database: databases,
  logger,
  nowSeconds,
  cursors,
  uuidTokens,
  maxCandidates,
}: StoreDeps) {
  const { evm: database } = databases;
  const configuredChains = createChains(config);
  const { requestTimeoutMs } = config.indexing;
  const prices = createPriceStore(databases, config.prices.maxAgeSeconds);
  return {
    configuredChains,
    contractNode: createContractNode({
      chains: configuredChains,
      requestTimeoutMs,
      logger,
      quarantined: createQuarantinedNodes(database),
    }),
    indexerStates: createIndexerStates(database),
    activity: createActivityStore(database),
    last24Hours: createLast24HoursStore(database),
    findBlocksAt: createFindEvmBlocksAt(database),
    priceHistory: prices,
    totals: createTotalsStore(database),
    addresses: createAddressStore(database),
    accounts: createAccountLists(database, cursors),
    erc20Balances: createErc20BalanceList(database),
    erc20BalancesAtBlocks: createErc20BalancesAtBlocks(database, maxCandidates),
    nfts: createNftList(database),
    nftsAtBlocks: createNftsAtBlocks(database, maxCandidates),
    erc1155Balances: createErc1155Balances(database),
    currentPrices: createCurrentPrices({ chains: configuredChains, store: prices, logger, nowSeconds }),
    holders: createHolderStore(database, maxCandidates),
    holdersByAddress: createHoldersByAddressStore(database, maxCandidates),
    supplies: createSupplyStore(database),
    holdersAbove: createHoldersAboveStore(database, maxCandidates),
    search: createSearchStore(databases, config),
    uuidTokens,
    cursors,
  };
}

export type MetricsStores = ReturnType<typeof createStores>;
