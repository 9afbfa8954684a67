import { aggregate, type Signature } from "../bls/signatures.ts";
import { encodeSignedMessage } from "../codec/signed-message.ts";
import { parseUnsignedMessage } from "../codec/unsigned-message.ts";
import { encodeBitSet } from "../validator-sets/bit-set.ts";

/**
 * Makes the signed message from verified signatures, which are given by the index of the validator in the canonical set. There
 * must be at least one. The caller still checks the result with `verifyAnswer`.
 */
export function assembleSignedMessage(
  unsignedBytes: Uint8Array,
  signatures: ReadonlyMap<number, Signature>,
): Uint8Array {
  return encodeSignedMessage({
    message: parseUnsignedMessage(unsignedBytes),
    signers: encodeBitSet(signatures.keys()),
    signature: aggregate([...signatures.values()]).bytes,
  });
}
