import type { PrimaryContext } from "../context.ts";
import { nodeIdText } from "../identifiers/ids.ts";
import { type OutputOwners, parseOwners } from "../ownership/output-owners.ts";
import { grossReward, type RewardOutlook, shareOfReward } from "../stakers/reward-estimates.ts";
import type { Delegations } from "./delegations.ts";
import { rewardAddresses } from "./from-row.ts";
import type { Observation } from "./observations.ts";
import { percentOf } from "./stake-totals.ts";
import type { Validator, ValidatorHealth, ValidatorRewards } from "./types.ts";

type Sums = Omit<Delegations, "networkId" | "txHash">;

const NONE: Sums = { count: 0, amount: "0", activeCount: 0, activeAmount: "0", activeRewards: "" };

/** A value of a validation's delegations: a promise only where they have to be asked for, and that once for all values. */
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

/** A value of what the indexed node observes; null unless the validation is active. */
function ofObservation<Value>(
  validator: Validator,
  { observations }: PrimaryContext,
  pick: (seen: Observation | null) => Value,
): Promise<Value> | null {
  if (validator.validationStatus !== "active") return null;
  validator.observation ??= observations.of(validator.served.network, nodeIdText(validator.nodeId));
  return validator.observation.then(pick);
}

/**
 * Fields of a validation that no row has, or not as callers see them, as plain functions: they take the place of the class's resolvers, because
 * TypeGraphQL makes promises of arguments, and a page asks for hundreds of them.
 */
export const VALIDATOR_FIGURES = {
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
    ofObservation(validator, context, (seen) => seen?.uptimePercent ?? 0),
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
  const made = (outlook: RewardOutlook | null) =>
    ofDelegations(validator, context, ({ activeRewards }) => rewardsOf(validator, outlook, activeRewards));
  if (isPermissioned || row.potentialReward !== null) return made(null);
  return context.load.rewardOutlook({ networkId: row.networkId, subnetId: row.subnetId }).then(made);
}

function rewardsOf(
  { row, served, isPermissioned }: Validator,
  outlook: RewardOutlook | null,
  activeRewards: string,
): ValidatorRewards {
  const rewards = activeRewards === "" ? [] : activeRewards.split(",");
  // What one that is renewed was paid, earlier cycles brought.
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

function healthOf(seen: Observation | null): ValidatorHealth {
  return {
    reachabilityPercent: percent(seen?.isConnected),
    benchedPChainRequestsPercent: percent(seen?.benched.has("P")),
    benchedXChainRequestsPercent: percent(seen?.benched.has("X")),
    benchedCChainRequestsPercent: percent(seen?.benched.has("C")),
  };
}
