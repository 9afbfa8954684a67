import { messageOf } from "../../core/errors/errors.ts";
import { InvalidPoint } from "../bls/invalid-point.ts";
import { isSignedByAll, parseSignature, type Signature } from "../bls/signatures.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { parseSignedMessage, type SignedMessage } from "../codec/signed-message.ts";
import { messageIdOf, type UnsignedMessage } from "../codec/unsigned-message.ts";
import { decodeBitSet } from "../validator-sets/bit-set.ts";
import type { CanonicalSet, CanonicalValidator } from "../validator-sets/canonical-set.ts";
import { InvalidValidatorSet } from "../validator-sets/invalid-validator-set.ts";
import { isQuorumMet } from "../validator-sets/quorum.ts";
import { validatorsAt, weightOf } from "../validator-sets/signers.ts";
import { RejectedMessage, type RejectionReason } from "./rejected-message.ts";

/** A signed message that the chains accept while the validator set is the given one. */
export interface VerifiedMessage {
  readonly message: UnsignedMessage;
  /** In hex. */
  readonly messageId: string;
  /** In the order of the set. */
  readonly signers: readonly CanonicalValidator[];
  readonly signedWeight: bigint;
  readonly totalWeight: bigint;
}

/**
 * Verifies a signed message as the chains do: form, bit set, weight, aggregate signature. Throws `RejectedMessage`. Throws
 * `InvalidValidatorSet` if the quorum is not an integer from 1 to 100. Source: avalanchego, vms/platformvm/warp/signature.go.
 */
export function verifySignedMessage(bytes: Uint8Array, set: CanonicalSet, quorumPercentage: number): VerifiedMessage {
  const signed = rejecting("MALFORMED", MalformedMessage, () => parseSignedMessage(bytes));
  const signers = rejecting("SIGNERS", InvalidValidatorSet, () =>
    validatorsAt(set, decodeBitSet(signed.signers, set.validators.length)),
  );
  if (signers.length === 0) throw new RejectedMessage("SIGNERS", "the signed message has no signers");
  const signedWeight = weightOf(signers);
  const { totalWeight } = set;
  if (!isQuorumMet(signedWeight, totalWeight, quorumPercentage))
    throw new RejectedMessage("WEIGHT", insufficientWeight(signedWeight, totalWeight, quorumPercentage));
  checkSignature(signed, signers);
  const messageId = messageIdOf(signed.unsignedBytes);
  return { message: signed.message, messageId, signers, signedWeight, totalWeight };
}

/** Verifies a signed message that must contain the requested one. Throws as `verifySignedMessage`. */
export function verifyAnswer(
  bytes: Uint8Array,
  requested: Uint8Array,
  set: CanonicalSet,
  quorumPercentage: number,
): VerifiedMessage {
  const { unsignedBytes } = rejecting("MALFORMED", MalformedMessage, () => parseSignedMessage(bytes));
  if (!Buffer.from(requested).equals(unsignedBytes)) {
    const [got, expected] = [messageIdOf(unsignedBytes), messageIdOf(requested)];
    throw new RejectedMessage("OTHER_MESSAGE", `the signed message is ${got}, not the requested ${expected}`);
  }
  return verifySignedMessage(bytes, set, quorumPercentage);
}

/** The text with which the chains refuse too little weight. Client libraries recognise it. */
export function insufficientWeight(signedWeight: bigint, totalWeight: bigint, quorumPercentage: number): string {
  return `signature weight is insufficient: ${quorumPercentage}*${totalWeight} > 100*${signedWeight}`;
}

function checkSignature({ unsignedBytes, signature }: SignedMessage, signers: readonly CanonicalValidator[]): void {
  const point: Signature = rejecting("SIGNATURE", InvalidPoint, () => parseSignature(signature));
  const keys = signers.map(({ publicKey }) => publicKey);
  if (!isSignedByAll(keys, unsignedBytes, point))
    throw new RejectedMessage("SIGNATURE", "the aggregate signature is not that of the signers");
}

type ErrorKind = abstract new (message?: string) => Error;

/** Runs a check. Its errors of one kind become a rejection; other errors are bugs and stay as they are. */
function rejecting<Result>(reason: RejectionReason, kind: ErrorKind, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (error instanceof kind) throw new RejectedMessage(reason, messageOf(error));
    throw error;
  }
}
