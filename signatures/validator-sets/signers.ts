import type { CanonicalSet, CanonicalValidator } from "./canonical-set.ts";
import { isQuorumMet } from "./quorum.ts";

/** Validators of a set by index, ascending. The indexes must exist. */
export function validatorsAt({ validators }: CanonicalSet, indexes: readonly number[]): CanonicalValidator[] {
  return indexes.map((index) => {
    const validator = validators[index];
    if (!validator) throw new RangeError(`there is no validator ${index} among ${validators.length}`);
    return validator;
  });
}

/** The sum of the weights of validators. */
export function weightOf(validators: readonly CanonicalValidator[]): bigint {
  return validators.reduce((sum, { weight }) => sum + weight, 0n);
}

/**
 * The fewest of the given validators that meet a quorum: the heaviest, and of equal ones those with the lowest index. Returns
 * their indexes, ascending; null if all of them together do not meet it. Fewer signers cost less on chain.
 */
export function fewestSigners(
  { validators, totalWeight }: CanonicalSet,
  indexes: readonly number[],
  quorumPercentage: number,
): number[] | null {
  const weightAt = (index: number) => validators[index]?.weight ?? 0n;
  const chosen: number[] = [];
  let weight = 0n;
  for (const index of indexes.toSorted((a, b) => compare(weightAt(b), weightAt(a)) || a - b)) {
    chosen.push(index);
    weight += weightAt(index);
    if (isQuorumMet(weight, totalWeight, quorumPercentage)) return chosen.sort((a, b) => a - b);
  }
  return null;
}

function compare(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
