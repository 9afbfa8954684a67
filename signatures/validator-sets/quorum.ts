import { InvalidValidatorSet } from "./invalid-validator-set.ts";

/** Least weight of signers that meets a quorum: the percentage of the total weight, rounded up. */
export function requiredWeight(totalWeight: bigint, quorumPercentage: number): bigint {
  checkQuorum(quorumPercentage);
  return (totalWeight * BigInt(quorumPercentage) + 99n) / 100n;
}

/** True if the signers have at least the percentage of the total weight, as chains calculate it. */
export function isQuorumMet(signedWeight: bigint, totalWeight: bigint, quorumPercentage: number): boolean {
  checkQuorum(quorumPercentage);
  return signedWeight * 100n >= totalWeight * BigInt(quorumPercentage);
}

/** Throws `InvalidValidatorSet` unless the quorum is an integer from 1 to 100. With 0, no signature would be needed. */
function checkQuorum(quorumPercentage: number): void {
  if (!Number.isInteger(quorumPercentage) || quorumPercentage < 1 || quorumPercentage > 100)
    throw new InvalidValidatorSet(`a quorum must be an integer from 1 to 100, got ${quorumPercentage}`);
}
