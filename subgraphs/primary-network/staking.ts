import { createBatch } from "../shared/batch.ts";
import { createPriceStore } from "../shared/price-store.ts";
import type { AssetStore } from "./assets/store.ts";
import { createDelegatorStore } from "./delegators/store.ts";
import { createL1ValidatorStore } from "./l1-validators/store.ts";
import { createCoins } from "./rewards/price-ids.ts";
import { createRewardStore } from "./rewards/store.ts";
import { createStakerPages } from "./stakers/pages.ts";
import { createOutlookStore } from "./stakers/reward-estimates.ts";
import type { StoreDeps } from "./stores.ts";
import { createValidatorNodeStore } from "./validator-nodes/store.ts";
import { createDelegationStore } from "./validators/delegations.ts";
import { createObservations } from "./validators/observations.ts";
import { createStakeTotals } from "./validators/stake-totals.ts";
import { createValidatorStore } from "./validators/store.ts";

/** Who stakes and what that brings. Lives as long as the process. */
export function createStakingStores(deps: StoreDeps, assets: AssetStore) {
  const { config, database, logger, networks, nowSeconds, pageTokens } = deps;
  const pages = createStakerPages(database.pool, pageTokens, nowSeconds);
  const stakerDeps = { database, pageTokens, networks, pages, nowSeconds };
  return {
    validators: createValidatorStore(stakerDeps),
    delegators: createDelegatorStore(stakerDeps),
    rewards: createRewardStore({ database, pageTokens, networks, assets }),
    l1Validators: createL1ValidatorStore(database, pageTokens, networks),
    validatorNodes: createValidatorNodeStore(database, networks),
    delegations: createDelegationStore(database),
    rewardOutlooks: createOutlookStore(database),
    stakeTotals: createStakeTotals(database, nowSeconds),
    observations: createObservations({ primaryNetworks: config.primaryNetworks, logger }),
    priceHistory: createPriceStore(database, config.prices.maxAgeSeconds),
    coins: createCoins(config.evmChains),
  };
}

/** Loaders of the same, for one request. */
export function createStakingLoaders(stores: ReturnType<typeof createStakingStores>) {
  const { validators, delegators, rewards, l1Validators } = stores;
  const staker = ({ row: { networkId, txHash } }: { row: { networkId: string; txHash: string } }) => ({
    networkId,
    txHash,
  });
  return {
    validator: createBatch(validators.byKey, staker),
    delegator: createBatch(delegators.byKey, staker),
    l1Validator: createBatch(l1Validators.byKey, ({ served, validationId }) => ({
      networkId: served.networkId,
      validationId,
    })),
    placedNode: createBatch(stores.validatorNodes.placed, ({ nodeId }) => ({ nodeId })),
    delegations: createBatch(stores.delegations.of, ({ networkId, txHash }) => ({ networkId, txHash })),
    rewardOutlook: createBatch(stores.rewardOutlooks.of, ({ networkId, subnetId }) => ({ networkId, subnetId })),
    price: createBatch(stores.priceHistory.at, ({ asset, currency, timestamp }) => ({ asset, currency, timestamp })),
    validatorsOfSubnet: validators.ofSubnet(),
    validatorsOfNode: validators.ofNode(),
    delegatorsOfValidation: delegators.ofValidation(),
    delegatorsOfNode: delegators.ofNode(),
    l1ValidatorsOfSubnet: l1Validators.ofSubnet(),
    l1ValidatorsOfNode: l1Validators.ofNode(),
    rewardsOfNode: rewards.ofNode(),
    rewardsOfStaker: rewards.ofStaker(),
  };
}
