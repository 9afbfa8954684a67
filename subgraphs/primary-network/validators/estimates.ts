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
