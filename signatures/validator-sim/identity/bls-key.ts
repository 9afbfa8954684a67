import { Signature as BlstSignature, SecretKey } from "@chainsafe/blst";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { secretOf } from "./seed.ts";

const PROOF_OF_POSSESSION = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const ORDER = bls12_381.fields.Fr.ORDER;
/** Signatures that a key keeps, so that a repeated request costs no second signature. */
const MAX_CACHED = 1_000;

/** A validator's BLS key. */
export interface BlsKey {
  /** Compressed, 48 bytes. */
  readonly publicKey: Buffer;
  /** Uncompressed, 96 bytes: the canonical order is by these. */
  readonly uncompressedKey: Buffer;
  /** 96 bytes, under the tag of warp signatures. */
  sign(message: Uint8Array): Buffer;
  /** 96 bytes, under the tag of proofs of possession. Takes about 10 ms. */
  signPossession(message: Uint8Array): Buffer;
}

/** The BLS key of a named node. The keys of the validators in the bundled recordings were derived in the same way. */
export function blsKeyOf(seed: string, name: string): BlsKey {
  const scalar = (BigInt(`0x${secretOf(seed, `bls:${name}`).toString("hex")}`) % (ORDER - 1n)) + 1n;
  return createBlsKey(Buffer.from(scalar.toString(16).padStart(64, "0"), "hex"));
}

/** A BLS key of a secret of 32 bytes. Throws if it is zero or above the order of the curve. */
export function createBlsKey(secret: Uint8Array): BlsKey {
  const key = SecretKey.fromBytes(secret);
  const publicKey = key.toPublicKey();
  const signatures = new Map<string, Buffer>();
  return {
    publicKey: Buffer.from(publicKey.toBytes(true)),
    uncompressedKey: Buffer.from(publicKey.toBytes(false)),
    sign(message) {
      const name = Buffer.from(message).toString("base64");
      const signature = signatures.get(name) ?? Buffer.from(key.sign(message).toBytes(true));
      if (signatures.size >= MAX_CACHED) signatures.clear();
      signatures.set(name, signature);
      return signature;
    },
    signPossession(message) {
      const { hash, sign, Signature } = bls12_381.longSignatures;
      return Buffer.from(Signature.toBytes(sign(hash(message, PROOF_OF_POSSESSION), secret)));
    },
  };
}

/** True if 96 bytes are a point of the signatures' group; infinity is one, as nodes see it. */
export function isSignaturePoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 96) return false;
  try {
    BlstSignature.fromBytes(bytes, true, false);
    return true;
  } catch {
    return false;
  }
}

/** True if the signature is the key's proof of possession over a message. */
export function isPossessionSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { hash, verify, Signature } = bls12_381.longSignatures;
  try {
    const point = bls12_381.G1.Point.fromBytes(publicKey);
    return verify(Signature.fromBytes(signature), hash(message, PROOF_OF_POSSESSION), point);
  } catch {
    return false;
  }
}
