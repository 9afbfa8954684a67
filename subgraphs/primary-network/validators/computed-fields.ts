import type { PrimaryContext } from "../context.ts";
import { nodeIdText } from "../identifiers/ids.ts";
import { type OutputOwners, parseOwners } from "../ownership/output-owners.ts";
import { grossReward, type RewardOutlook, shareOfReward } from "../stakers/reward-estimates.ts";
import { rewardAddresses } from "../stakers/rewards-text.ts";
import type { Delegations } from "./delegations.ts";
import type { Observation } from "./observations.ts";
import { percentOf } from "./percent.ts";
import type { Validator, ValidatorHealth, ValidatorRewards } from "./types.ts";

type Sums = Omit<Delegations, "networkId" | "txHash">;

const NONE: Sums = { count: 0, amount: "0", activeCount: 0, activeAmount: "0", activeRewards: "" };

/** Derives a field from the delegations, which are loaded once per validation. Synchronous for a permissioned validation. */
function ofDelegations<Value>(
  validator: Validator,
  { load }: PrimaryContext,
  pick: (sums: Sums) => Value,
): Value | Promise<Value> {
  const { networkId, txHash, isPermissioned } = validator.row;
  if (isPermissioned) return pick(NONE);
  validator.delegations ??= load.delegations({ networkId, txHash });
  return validator.delegations.then((found) => pick(found ?? NONE));
}

/** Derives a field from what the indexed node observes; null unless the validation is active. */
function ofObservation<Value>(
  validator: Validator,
  { observations }: PrimaryContext,
  pick: (observed: Observation | null) => Value,
): Promise<Value> | null {
  if (validator.validationStatus !== "active") return null;
  validator.observation ??= observations.of(validator.served.network, nodeIdText(validator.nodeId));
  return validator.observation.then(pick);
}

/**
 * Fields of a validation that are computed. These plain functions replace the resolvers of the class: TypeGraphQL creates
 * promises for the arguments of each call, which is too slow for the hundreds of fields of a page.
 */
export const COMPUTED_FIELDS = {
  validationRewardOwner: ({ served, row }: Validator): OutputOwners | null =>
    row.rewardOwner === null ? null : parseOwners(served, row.rewardOwner),
  delegationRewardOwner: ({ served, row }: Validator): OutputOwners | null =>
    row.shareOwner === null ? null : parseOwners(served, row.shareOwner),
  delegatorCount: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofDelegations(validator, context, ({ count }) => count),
  amountDelegated: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofDelegations(validator, context, ({ amount }) => amount),
  activeDelegatorCount: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofDelegations(validator, context, ({ activeCount }) => activeCount),
  activeAmountDelegated: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofDelegations(validator, context, ({ activeAmount }) => activeAmount),
  stakePercentage: (validator: Validator, _: unknown, context: PrimaryContext) =>
    validator.validationStatus === "active" ? stakePercentage(validator, context) : null,
  potentialRewards: (validator: Validator, _: unknown, context: PrimaryContext) =>
    validator.validationStatus === "active" ? potentialRewards(validator, context) : null,
  uptimePerformance: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofObservation(validator, context, (observed) => observed?.uptimePercent ?? 0),
  validatorHealth: (validator: Validator, _: unknown, context: PrimaryContext) =>
    ofObservation(validator, context, healthOf),
};

async function stakePercentage(validator: Validator, context: PrimaryContext): Promise<number> {
  const { networkId, subnetId, weight } = validator.row;
  const amount = ofDelegations(validator, context, ({ activeAmount }) => activeAmount);
  const totals = await context.stakeTotals.of(networkId);
  return percentOf(BigInt(weight) + BigInt(await amount), totals.get(subnetId) ?? 0n);
}

function potentialRewards(validator: Validator, context: PrimaryContext): ValidatorRewards | Promise<ValidatorRewards> {
  const { row, isPermissioned } = validator;
  const withOutlook = (outlook: RewardOutlook | null) =>
    ofDelegations(validator, context, ({ activeRewards }) => rewardsOf(validator, outlook, activeRewards));
  if (isPermissioned || row.potentialReward !== null) return withOutlook(null);
  return context.load.rewardOutlook({ networkId: row.networkId, subnetId: row.subnetId }).then(withOutlook);
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
    validationRewardAmount: String(grossReward(row, outlook)),
    delegationRewardAmount: String(delegation),
    rewardAddresses: isPermissioned ? null : rewardAddresses(served, row),
    rewardTxHash: null,
  };
}

const percent = (is: boolean | undefined): number => (is ? 100 : 0);

function healthOf(observed: Observation | null): ValidatorHealth {
  return {
    reachabilityPercent: percent(observed?.isConnected),
    benchedPChainRequestsPercent: percent(observed?.benched.has("P")),
    benchedXChainRequestsPercent: percent(observed?.benched.has("X")),
    benchedCChainRequestsPercent: percent(observed?.benched.has("C")),
  };
}
