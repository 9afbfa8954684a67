import { bls12_381 } from "@noble/curves/bls12-381.js";
import { type PublicKey, publicKeyOf, type SecretKey } from "./keys.ts";
import type { Signature } from "./signatures.ts";

/**
 * Domain tag of proofs of possession, and of the addresses that nodes sign in their handshake. blst has only the tag of messages
 * compiled in. Source: avalanchego, utils/crypto/bls.
 */
const POSSESSION_TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

const bls = bls12_381.longSignatures;

/** Signs with the tag of proofs of possession. Returns 96 bytes. Takes about 10 ms. */
export function signPossession({ bytes }: SecretKey, message: Uint8Array): Uint8Array {
  return bls.sign(bls.hash(message, POSSESSION_TAG), bytes).toBytes();
}

/** True if the key has signed the message with the tag of proofs of possession. Takes about 20 ms. */
export function isPossessionSignedBy(
  key: PublicKey,
  message: Uint8Array,
  signature: Pick<Signature, "bytes">,
): boolean {
  return bls.verify(signature.bytes, bls.hash(message, POSSESSION_TAG), key.compressed);
}

/** The proof that the holder of a key knows its secret, as registrations of validators carry it. */
export function proofOfPossession(secretKey: SecretKey): Uint8Array {
  return signPossession(secretKey, publicKeyOf(secretKey).compressed);
}

/** True if a proof of possession is valid. */
export function isProofOfPossession(key: PublicKey, proof: Pick<Signature, "bytes">): boolean {
  return isPossessionSignedBy(key, key.compressed, proof);
}
