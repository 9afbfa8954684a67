import type { Config } from "../../core/config/config-schema.ts";
import { PRIMARY_BLOCKS } from "../../core/database/block-channels.ts";
import type { Databases } from "../../core/database/database.ts";
import type { PageTokens } from "../../core/graph/page.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createBlockNotifications } from "../shared/new-blocks/notifications.ts";
import { createBlockSubscriptions } from "../shared/new-blocks/subscriptions.ts";
import { createQuarantinedNodesOfNetworks } from "../shared/nodes/quarantined-nodes.ts";
import { createPriceStore } from "../shared/prices/price-store.ts";
import { createPrimaryAddressStore } from "./addresses/store.ts";
import { createAssetStore } from "./assets/store.ts";
import { createBalanceStore } from "./balances/store.ts";
import { createServedChains } from "./blockchains/served-chains.ts";
import { createBlockchainStore } from "./blockchains/store.ts";
import { createFindPrimaryBlocksAt } from "./blocks/blocks-at.ts";
import { createFollowedBlocks, createPrimaryBlockStore } from "./blocks/store.ts";
import { createCredentialStore } from "./credentials/store.ts";
import { createDelegatorStore } from "./delegators/store.ts";
import { createExceptionStore } from "./exceptions/store.ts";
import { createFindL1States } from "./l1-validators/states.ts";
import { createL1ValidatorStore } from "./l1-validators/store.ts";
import { createIndexingStore } from "./networks/indexing.ts";
import type { Networks } from "./networks/store.ts";
import { createPriceIds } from "./rewards/price-ids.ts";
import { createRewardStore } from "./rewards/store.ts";
import { createStakerPages } from "./stakers/pages.ts";
import { createOutlookStore } from "./stakers/reward-estimates.ts";
import { createActivityPages } from "./statistics/activity-pages.ts";
import { createNetworkActivityStore } from "./statistics/activity-store.ts";
import { createStatisticsStore } from "./statistics/statistics-store.ts";
import { createSubnetStore } from "./subnets/store.ts";
import { createSubnetTotals } from "./subnets/totals.ts";
import { createTransactionStore } from "./transactions/store.ts";
import { createUtxosOfAddress } from "./utxos/of-address.ts";
import { createUnspentUtxoStore, createUtxoStore } from "./utxos/store.ts";
import { createValidatorNodeStore } from "./validator-nodes/store.ts";
import { createValidatorSetStore } from "./validator-sets/store.ts";
import { createDelegationStore } from "./validators/delegations.ts";
import { createObservations } from "./validators/observations.ts";
import { createStakeTotals } from "./validators/stake-totals.ts";
import { createValidatorStore } from "./validators/store.ts";
import { createVertexStore } from "./vertices/store.ts";

export interface StoreDeps {
  readonly config: Pick<Config, "primaryNetworks" | "evmChains" | "prices">;
  readonly database: Databases;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
}

/** Every store of the subgraph, by name. Created once per process. */
export function createStores({ config, database: databases, logger, nowSeconds, pageTokens, networks }: StoreDeps) {
  const { primary: database } = databases;
  const utxos = createUtxoStore(database);
  const assets = createAssetStore(database);
  const servedChains = createServedChains(config);
  const stakerPages = createStakerPages(database.pool, pageTokens, nowSeconds);
  const stakerDeps = { database, pageTokens, networks, pages: stakerPages, nowSeconds };
  return {
    networks,
    nowSeconds,
    servedChains,
    utxos,
    utxosOfAddress: createUtxosOfAddress(database, pageTokens),
    assets,
    addresses: createPrimaryAddressStore(database),
    unspentUtxos: createUnspentUtxoStore({ database, pageTokens, networks, assets }),
    exceptions: createExceptionStore(database, pageTokens),
    indexing: createIndexingStore(database, networks),
    statistics: createStatisticsStore(database),
    networkActivity: createNetworkActivityStore(database),
    activityPage: createActivityPages(pageTokens),
    transactions: createTransactionStore(database, pageTokens, { utxos, assets }),
    balances: createBalanceStore(database, nowSeconds),
    primaryBlocks: createPrimaryBlockStore(database, pageTokens, networks),
    blockSubscriptions: createBlockSubscriptions(
      createFollowedBlocks(database, networks),
      createBlockNotifications(database.pool, logger, PRIMARY_BLOCKS),
    ),
    vertices: createVertexStore(database, pageTokens),
    subnets: createSubnetStore(database, pageTokens),
    subnetTotals: createSubnetTotals(database),
    blockchains: createBlockchainStore(database, networks),
    credentials: createCredentialStore({ database: databases, servedChains, logger }),
    validators: createValidatorStore(stakerDeps),
    delegators: createDelegatorStore(stakerDeps),
    rewards: createRewardStore({ database, pageTokens, networks, assets }),
    l1Validators: createL1ValidatorStore(database, pageTokens, networks),
    l1ValidatorStates: createFindL1States(database),
    validatorSets: createValidatorSetStore(database),
    findBlocksAt: createFindPrimaryBlocksAt(database),
    pageTokens,
    validatorNodes: createValidatorNodeStore(database, networks),
    delegations: createDelegationStore(database),
    rewardOutlooks: createOutlookStore(database),
    stakeTotals: createStakeTotals(database, nowSeconds),
    observations: createObservations({
      primaryNetworks: config.primaryNetworks,
      logger,
      quarantined: createQuarantinedNodesOfNetworks(database),
    }),
    priceHistory: createPriceStore(databases, config.prices.maxAgeSeconds),
    priceIds: createPriceIds(config.evmChains),
  };
}

export type PrimaryStores = ReturnType<typeof createStores>;
