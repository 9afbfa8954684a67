import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import type { DelegationSums } from "./delegations.ts";
import type { Observation } from "./observations.ts";
import type { Validator } from "./types.ts";

/** Values that were loaded for all validations of an answer at once. */
export interface ValidationValues {
  readonly delegations: Map<Validator, DelegationSums>;
  readonly observations: Map<Validator, Observation | null>;
  readonly stakeTotals: Map<Validator, ReadonlyMap<string, bigint>>;
  readonly rewardOutlooks: Map<Validator, RewardOutlook | null>;
}

export function createValidationValues(): ValidationValues {
  return { delegations: new Map(), observations: new Map(), stakeTotals: new Map(), rewardOutlooks: new Map() };
}
