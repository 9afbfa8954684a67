import { type PublicKey, parsePublicKey, type SecretKey } from "../../../signatures/bls/keys.ts";

/** The key that verifies the signatures of a secret key. */
export function publicKeyOf({ scalar }: SecretKey): PublicKey {
  return parsePublicKey(scalar.toPublicKey().toBytes());
}
