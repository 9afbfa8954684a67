import { PublicKey as PublicPoint, SecretKey as SecretScalar } from "@chainsafe/blst";
import { messageOf } from "../../core/errors/errors.ts";
import { InvalidPoint } from "./invalid-point.ts";

const PUBLIC_KEY_BYTES = 48;
const SECRET_KEY_BYTES = 32;

/** A validator's BLS key: a point of G1 that is not infinity. */
export interface PublicKey {
  /** 48 bytes, as nodes print it. */
  readonly compressed: Uint8Array;
  /** 96 bytes. Canonical validator sets are ordered by them. */
  readonly uncompressed: Uint8Array;
  readonly point: PublicPoint;
}

export interface SecretKey {
  /** 32 bytes, big-endian. */
  readonly bytes: Uint8Array;
  readonly scalar: SecretScalar;
}

/** Parses a compressed key. Throws `InvalidPoint` unless it has 48 bytes and is a point of the group other than infinity. */
export function parsePublicKey(bytes: Uint8Array): PublicKey {
  checkLength(bytes, PUBLIC_KEY_BYTES, "public key");
  const point = parsing("public key", () => PublicPoint.fromBytes(bytes, true));
  return { compressed: bytes, uncompressed: point.toBytes(false), point };
}

/** Parses a secret key. Throws `InvalidPoint` unless it has 32 bytes and is a number from 1 to the group's order - 1. */
export function parseSecretKey(bytes: Uint8Array): SecretKey {
  checkLength(bytes, SECRET_KEY_BYTES, "secret key");
  return { bytes, scalar: parsing("secret key", () => SecretScalar.fromBytes(bytes)) };
}

/** Throws `InvalidPoint` if the length is wrong. blst alone would also accept the uncompressed form. */
export function checkLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) throw new InvalidPoint(`a BLS ${what} must have ${length} bytes, got ${bytes.length}`);
}

/** Runs a parser of blst, whose errors become `InvalidPoint`. */
export function parsing<Parsed>(what: string, task: () => Parsed): Parsed {
  try {
    return task();
  } catch (error) {
    throw new InvalidPoint(`invalid BLS ${what}: ${messageOf(error)}`);
  }
}
