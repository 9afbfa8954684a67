import { type Loaded, withValue } from "../../shared/schema/loaded.ts";
import type { PrimaryContext } from "../context.ts";
import { grossReward, type RewardOutlook, shareOfReward } from "../stakers/reward-estimates.ts";
import { rewardAddresses } from "../stakers/rewards-text.ts";
import { delegationsOf, rewardOutlookOf, stakeTotalsOf } from "./loads.ts";
import type { Observation } from "./observations.ts";
import { percentOf } from "./percent.ts";
import type { Validator, ValidatorHealth, ValidatorRewards } from "./types.ts";

/** Weight of an active validation including active delegations, in percent of the total weight of its subnet. */
export function stakePercentage(validator: Validator, context: PrimaryContext): Loaded<number> {
  const { subnetId, weight } = validator.row;
  const delegations = delegationsOf(validator, context);
  return withValue(stakeTotalsOf(validator, context), (totals) =>
    withValue(delegations, ({ activeAmount }) =>
      percentOf(BigInt(weight) + BigInt(activeAmount), totals.get(subnetId) ?? 0n),
    ),
  );
}

/** A validator with its delegations may have this many times its own weight (`MaxValidatorWeightFactor` of nodes). */
const MAX_WEIGHT_FACTOR = 5n;

/** What can still be delegated to an active validation of the primary network, in nAVAX; null for another subnet. */
export function delegationCapacity(validator: Validator, context: PrimaryContext): Loaded<string | null> {
  const { networkId, subnetId, weight } = validator.row;
  const delegations = delegationsOf(validator, context);
  return withValue(context.load.rewardOutlook({ networkId, subnetId }), (outlook) =>
    withValue(delegations, ({ activeAmount, pendingAmount }) => {
      const most = outlook?.maxValidatorStake ?? null;
      if (most === null) return null;
      const byWeight = BigInt(weight) * MAX_WEIGHT_FACTOR;
      const taken = BigInt(weight) + BigInt(activeAmount) + BigInt(pendingAmount);
      const free = (byWeight < most ? byWeight : most) - taken;
      return String(free > 0n ? free : 0n);
    }),
  );
}

/** Rewards that an active validation earns if the uptime requirement is met. */
export function potentialRewards(validator: Validator, context: PrimaryContext): Loaded<ValidatorRewards> {
  const delegations = delegationsOf(validator, context);
  return withValue(rewardOutlookOf(validator, context), (outlook) =>
    withValue(delegations, ({ activeRewards }) => rewardsOf(validator, outlook, activeRewards)),
  );
}

function rewardsOf(
  { row, served, isPermissioned }: Validator,
  outlook: RewardOutlook | null,
  activeRewards: string,
): ValidatorRewards {
  const rewards = activeRewards === "" ? [] : activeRewards.split(",");
  // For an auto-renewed validation, `paidShare` belongs to earlier cycles.
  const known = BigInt(row.accruedShare) + (row.nextPeriod === null ? BigInt(row.paidShare) : 0n);
  const delegation = rewards.reduce((sum, reward) => sum + shareOfReward(BigInt(reward), row.shares ?? 0), known);
  return {
    network: served.network,
    validationRewardAmount: String(grossReward(row, outlook)),
    delegationRewardAmount: String(delegation),
    rewardAddresses: isPermissioned ? null : rewardAddresses(served, row),
    rewardTxHash: null,
  };
}

const percent = (is: boolean | undefined): number => (is ? 100 : 0);

/** The connection of the indexed node to a validator; all values are 0 if nothing is observed. */
export function healthOf(observed: Observation | null): ValidatorHealth {
  return {
    reachabilityPercent: percent(observed?.isConnected),
    benchedPChainRequestsPercent: percent(observed?.benched.has("P")),
    benchedXChainRequestsPercent: percent(observed?.benched.has("X")),
    benchedCChainRequestsPercent: percent(observed?.benched.has("C")),
  };
}
