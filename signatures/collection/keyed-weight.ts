import { Failure } from "../../core/errors/errors.ts";
import { formatId } from "../../core/formats/id-text.ts";
import type { Quorum } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import { isQuorumMet } from "../validator-sets/quorum.ts";
import { weightOf } from "../validator-sets/signers.ts";
import { insufficientWeight } from "../verify/verify-signed-message.ts";

/**
 * Fails if even the signatures of all validators that have a BLS key could not meet the quorum: `NOT_FOUND` if the subnet has no
 * validators, otherwise `UNAVAILABLE`.
 */
export function checkKeyedWeight(task: SigningTask, { quorumPercentage }: Quorum): void {
  const { totalWeight, validators } = task.set;
  if (totalWeight === 0n) throw new Failure("NOT_FOUND", `${subnetText(task)} has no validators`);
  const keyed = weightOf(validators);
  if (isQuorumMet(keyed, totalWeight, quorumPercentage)) return;
  throw new Failure(
    "UNAVAILABLE",
    `a threshold of stake cannot sign: of the validators of ${subnetText(task)}, which have a weight of ${totalWeight}, those with a BLS key have ${keyed}, and a quorum of ${quorumPercentage}% is required (${insufficientWeight(keyed, totalWeight, quorumPercentage)}); validators without a key and inactive ones cannot sign`,
  );
}

/** The subnet and the height whose validators sign, in words. */
export function subnetText({ signingSubnetId, pChainHeight }: SigningTask): string {
  return `subnet ${formatId(signingSubnetId)} at P-Chain height ${pChainHeight}`;
}
