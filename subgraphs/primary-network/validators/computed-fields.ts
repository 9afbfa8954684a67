import { loading } from "../../shared/schema/direct-resolvers.ts";
import type { PrimaryContext } from "../context.ts";
import { nodeIdText } from "../identifiers/ids.ts";
import { type OutputOwners, parseOwners } from "../ownership/output-owners.ts";
import { grossReward, type RewardOutlook, shareOfReward } from "../stakers/reward-estimates.ts";
import { rewardAddresses } from "../stakers/rewards-text.ts";
import { type DelegationSums, NO_DELEGATIONS } from "./delegations.ts";
import type { Observation } from "./observations.ts";
import { percentOf } from "./percent.ts";
import type { Loaded, Validator, ValidatorHealth, ValidatorRewards } from "./types.ts";

/** Calls `pick` at once if the value is there. */
function withValue<Value, Result>(value: Loaded<Value>, pick: (value: Value) => Loaded<Result>): Loaded<Result> {
  return value instanceof Promise ? value.then(pick) : pick(value);
}

/** The delegations of a validation, which are loaded once. */
function delegationsOf(validator: Validator, { load }: PrimaryContext): DelegationSums | Promise<DelegationSums> {
  const { networkId, txHash, isPermissioned } = validator.row;
  if (isPermissioned) return NO_DELEGATIONS;
  validator.delegations ??= load.delegations({ networkId, txHash }).then((found) => found ?? NO_DELEGATIONS);
  return validator.delegations;
}

function observationOf(validator: Validator, { observations }: PrimaryContext): Loaded<Observation | null> {
  if (validator.observation === undefined)
    validator.observation = observations.of(validator.served.network, nodeIdText(validator.nodeId));
  return validator.observation;
}

function totalsOf(validator: Validator, { stakeTotals }: PrimaryContext): Loaded<ReadonlyMap<string, bigint>> {
  validator.stakeTotals ??= stakeTotals.of(validator.row.networkId);
  return validator.stakeTotals;
}

/** What an estimate of the reward needs; null if the reward is known. */
function outlookOf(validator: Validator, { load }: PrimaryContext): Loaded<RewardOutlook | null> {
  const { networkId, subnetId, potentialReward } = validator.row;
  if (validator.isPermissioned || potentialReward !== null) return null;
  if (validator.rewardOutlook === undefined) validator.rewardOutlook = load.rewardOutlook({ networkId, subnetId });
  return validator.rewardOutlook;
}

type LoadAllOf = (validators: Validator[], context: PrimaryContext) => Promise<void>;

/**
 * Loads the delegations of validations with one promise, and without the text keys of a loader. All loads of an answer are awaited together,
 * so validations whose delegations another load reads are left out.
 */
const loadDelegations: LoadAllOf = async (validators, { delegations }) => {
  const staked = validators.filter((one) => !one.isPermissioned && !one.awaitsDelegations);
  if (staked.length === 0) return;
  for (const validator of staked) validator.awaitsDelegations = true;
  const found = await delegations.inOrder(staked.map(({ row }) => row));
  for (const [at, validator] of staked.entries()) validator.delegations = found[at] ?? NO_DELEGATIONS;
};

/**
 * Loads a value that validations with the same key share. The validations then have the value itself, so that no field has to return a
 * promise.
 */
function loadingShared<Name extends "observation" | "stakeTotals" | "rewardOutlook">(
  name: Name,
  keyOf: (validator: Validator) => string,
  load: (validator: Validator, context: PrimaryContext) => Validator[Name],
): LoadAllOf {
  return async (validators, context) => {
    const byKey = new Map<string, Validator[]>();
    for (const validator of validators) {
      const key = keyOf(validator);
      const same = byKey.get(key);
      if (same) same.push(validator);
      else byKey.set(key, [validator]);
    }
    await Promise.all(
      [...byKey.values()].map(async (same) => {
        const value = (await load(same[0] as Validator, context)) as Validator[Name];
        for (const validator of same) validator[name] = value;
      }),
    );
  };
}

/** Loads for active validations only. */
function ofActive(...loads: readonly LoadAllOf[]): LoadAllOf {
  return async (validators, context) => {
    const active = validators.filter(isActive);
    if (active.length === 0) return;
    for (const load of loads) await load(active, context);
  };
}

const networkOf = ({ row: { networkId } }: Validator): string => networkId;
/** Validations of the same key need the same estimate, or none. */
const outlookKeyOf = ({ isPermissioned, row: { networkId, subnetId, potentialReward } }: Validator): string =>
  isPermissioned || potentialReward !== null ? "" : `${networkId} ${subnetId}`;
const loadObservations = ofActive(
  loadingShared("observation", (validator) => `${networkOf(validator)} ${validator.nodeId}`, observationOf),
);
const loadForPercentage = ofActive(loadingShared("stakeTotals", networkOf, totalsOf), loadDelegations);
const loadForRewards = ofActive(loadingShared("rewardOutlook", outlookKeyOf, outlookOf), loadDelegations);

const isActive = ({ validationStatus }: Validator): boolean => validationStatus === "active";

/** A field that is derived from the delegations. */
function ofDelegations<Value>(pick: (sums: DelegationSums) => Value) {
  return loading(loadDelegations, (validator: Validator, _: unknown, context: PrimaryContext) =>
    withValue(delegationsOf(validator, context), pick),
  );
}

/** A field that is derived from what the indexed node observes; null unless the validation is active. */
function ofObservation<Value>(pick: (observed: Observation | null) => Value) {
  return loading(loadObservations, (validator: Validator, _: unknown, context: PrimaryContext) =>
    isActive(validator) ? withValue(observationOf(validator, context), pick) : null,
  );
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
  delegatorCount: ofDelegations(({ count }) => count),
  amountDelegated: ofDelegations(({ amount }) => amount),
  activeDelegatorCount: ofDelegations(({ activeCount }) => activeCount),
  activeAmountDelegated: ofDelegations(({ activeAmount }) => activeAmount),
  stakePercentage: loading(loadForPercentage, (validator: Validator, _: unknown, context: PrimaryContext) =>
    isActive(validator) ? stakePercentage(validator, context) : null,
  ),
  potentialRewards: loading(loadForRewards, (validator: Validator, _: unknown, context: PrimaryContext) =>
    isActive(validator) ? potentialRewards(validator, context) : null,
  ),
  uptimePerformance: ofObservation((observed) => observed?.uptimePercent ?? 0),
  validatorHealth: ofObservation(healthOf),
};

function stakePercentage(validator: Validator, context: PrimaryContext): Loaded<number> {
  const { subnetId, weight } = validator.row;
  const delegations = delegationsOf(validator, context);
  return withValue(totalsOf(validator, context), (totals) =>
    withValue(delegations, ({ activeAmount }) =>
      percentOf(BigInt(weight) + BigInt(activeAmount), totals.get(subnetId) ?? 0n),
    ),
  );
}

function potentialRewards(validator: Validator, context: PrimaryContext): Loaded<ValidatorRewards> {
  return withValue(outlookOf(validator, context), (outlook) =>
    withValue(delegationsOf(validator, context), ({ activeRewards }) => rewardsOf(validator, outlook, activeRewards)),
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
