import { aggregate, type Signature } from "../bls/signatures.ts";
import { encodeSignedMessage } from "../codec/signed-message.ts";
import { parseUnsignedMessage } from "../codec/unsigned-message.ts";
import { encodeBitSet } from "../validator-sets/bit-set.ts";

/**
 * The signed message with verified signatures of validators, by their index in the canonical set. There must be at least one.
 * What is returned to callers still passes `verifyAnswer`.
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
