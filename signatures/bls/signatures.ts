import { aggregatePublicKeys, aggregateSignatures, Signature as SignaturePoint, verify } from "@chainsafe/blst";
import { checkLength, type PublicKey, parsing, type SecretKey } from "./keys.ts";

const SIGNATURE_BYTES = 96;

/** A signature of one validator, or an aggregate: a point of G2 that is not infinity. */
export interface Signature {
  /** 96 bytes, compressed. */
  readonly bytes: Uint8Array;
  readonly point: SignaturePoint;
}

/**
 * Parses a compressed signature. Throws `InvalidPoint` unless it has 96 bytes and is a point of the group other than infinity.
 * Infinity is the signature of no key.
 */
export function parseSignature(bytes: Uint8Array): Signature {
  checkLength(bytes, SIGNATURE_BYTES, "signature");
  return { bytes, point: parsing("signature", () => SignaturePoint.fromBytes(bytes, true)) };
}

/**
 * Parses a compressed signature that `verifyVotes` verifies next. Throws `InvalidPoint` unless it has 96 bytes and is a point of the
 * curve. Whether the point is of the group and not infinity takes twice as long to check; `verifyVotes` does it on other threads.
 */
export function parseUnverified(bytes: Uint8Array): Signature {
  checkLength(bytes, SIGNATURE_BYTES, "signature");
  return { bytes, point: parsing("signature", () => SignaturePoint.fromBytes(bytes, false)) };
}

/** Signs a message with the domain tag of messages (`BLS_SIG_…_POP_`). */
export function sign({ scalar }: SecretKey, message: Uint8Array): Signature {
  const point = scalar.sign(message);
  return { bytes: point.toBytes(), point };
}

/** The sum of signatures, at least one. Those of the same message verify with the sum of their keys. */
export function aggregate(signatures: readonly Signature[]): Signature {
  const point = aggregateSignatures(signatures.map((one) => one.point));
  return { bytes: point.toBytes(), point };
}

/**
 * True if the aggregate is the sum of the keys' signatures of the message. It does not show who signed: two bad signatures may
 * cancel out, so signatures of single validators are verified with `verifyVotes` before they are added.
 */
export function isSignedByAll(keys: readonly PublicKey[], message: Uint8Array, signature: Signature): boolean {
  return keys.length > 0 && verify(message, aggregatePublicKeys(keys.map(({ point }) => point)), signature.point);
}
