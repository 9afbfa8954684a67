import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { SecretKey } from "./keys.ts";

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
