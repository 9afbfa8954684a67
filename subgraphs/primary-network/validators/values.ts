import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import type { DelegationSums } from "./delegations.ts";
import type { Observation } from "./observations.ts";
import type { Validator } from "./types.ts";

/** What was loaded for a validation together with others; undefined: nothing yet. */
export interface ValidationValues {
  delegations: DelegationSums | undefined;
  observation: Observation | null | undefined;
  stakeTotals: ReadonlyMap<string, bigint> | undefined;
  rewardOutlook: RewardOutlook | null | undefined;
}

/** Returns a function that finds the values of a validation of one request. */
export function createValidationValues(): (validator: Validator) => ValidationValues {
  const known = new Map<Validator, ValidationValues>();
  let last: Validator | null = null;
  let values = noValues();
  return (validator) => {
    // The fields of a validation are read one after the other.
    if (validator === last) return values;
    last = validator;
    values = known.get(validator) ?? noValues();
    known.set(validator, values);
    return values;
  };
}

function noValues(): ValidationValues {
  return { delegations: undefined, observation: undefined, stakeTotals: undefined, rewardOutlook: undefined };
}
