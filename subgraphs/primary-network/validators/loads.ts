import type { LoadAll } from "../../shared/schema/load-all.ts";
import type { Loaded } from "../../shared/schema/loaded.ts";
import type { PrimaryContext } from "../context.ts";
import { nodeIdText } from "../identifiers/ids.ts";
import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import { type DelegationSums, NO_DELEGATIONS } from "./delegations.ts";
import type { Observation } from "./observations.ts";
import type { Validator } from "./types.ts";
import type { ValidationValues } from "./values.ts";

type LoadValidations = LoadAll<Validator, PrimaryContext>;

/** Totals of the delegations to a validation. */
export function delegationsOf(validator: Validator, { load }: PrimaryContext): Loaded<DelegationSums> {
  const { networkId, txHash, isPermissioned } = validator.row;
  if (isPermissioned) return NO_DELEGATIONS;
  const loaded = load.valuesOf(validator).delegations;
  return loaded ?? load.delegations({ networkId, txHash }).then((found) => found ?? NO_DELEGATIONS);
}

/** Loads the delegations of validations with one promise, and without the text keys of a loader. */
export const loadDelegations: LoadValidations = async (validators, { delegations, load, work }) => {
  const staked = validators.filter((one) => !one.isPermissioned);
  if (staked.length === 0) return;
  const rows = staked.map(({ row }) => row);
  const found = await delegations.inOrder(rows, work);
  for (const [at, validator] of staked.entries()) load.valuesOf(validator).delegations = found[at] ?? NO_DELEGATIONS;
};

/** What the indexed node observes of an active validator. */
export function observationOf(
  validator: Validator,
  { observations, load }: PrimaryContext,
): Loaded<Observation | null> {
  const loaded = load.valuesOf(validator).observation;
  return loaded !== undefined ? loaded : observations.of(validator.served.network, nodeIdText(validator.nodeId));
}

/** Total weights of the subnets, by subnet ID in `0x` hex. */
export function stakeTotalsOf(
  validator: Validator,
  { stakeTotals, load, work }: PrimaryContext,
): Loaded<ReadonlyMap<string, bigint>> {
  return load.valuesOf(validator).stakeTotals ?? stakeTotals.of(validator.row.networkId, work);
}

/** What an estimate of the reward needs; null if the reward is known. */
export function rewardOutlookOf(validator: Validator, { load }: PrimaryContext): Loaded<RewardOutlook | null> {
  const { networkId, subnetId } = validator.row;
  if (!needsOutlook(validator)) return null;
  const loaded = load.valuesOf(validator).rewardOutlook;
  return loaded !== undefined ? loaded : load.rewardOutlook({ networkId, subnetId });
}

const needsOutlook = ({ isPermissioned, row }: Validator): boolean => !isPermissioned && row.potentialReward === null;

export const isActive = ({ validationStatus }: Validator): boolean => validationStatus === "active";

/**
 * Loads a value that active validations with the same key share. Each then has the value itself, so that no field has to return a promise.
 */
function loadShared<Name extends "observation" | "stakeTotals" | "rewardOutlook">(
  name: Name,
  keyOf: (validator: Validator) => string,
  load: (validator: Validator, context: PrimaryContext) => Loaded<ValidationValues[Name]>,
): LoadValidations {
  return async (validators, context) => {
    const groups = new Map<string, Validator[]>();
    for (const validator of validators.filter(isActive)) {
      const key = keyOf(validator);
      const same = groups.get(key);
      if (same) same.push(validator);
      else groups.set(key, [validator]);
    }
    const loadGroup = async (same: readonly Validator[]) => {
      const value = await load(same[0] as Validator, context);
      for (const validator of same) context.load.valuesOf(validator)[name] = value;
    };
    await Promise.all([...groups.values()].map(loadGroup));
  };
}

const networkOf = ({ row: { networkId } }: Validator): string => networkId;
export const loadStakeTotals = loadShared("stakeTotals", networkOf, stakeTotalsOf);
export const loadObservations = loadShared(
  "observation",
  (validator) => `${networkOf(validator)} ${validator.nodeId}`,
  observationOf,
);
/** Validations of the same key need the same estimate, or none. */
export const loadRewardOutlooks = loadShared(
  "rewardOutlook",
  (validator) => (needsOutlook(validator) ? `${networkOf(validator)} ${validator.row.subnetId}` : ""),
  rewardOutlookOf,
);
