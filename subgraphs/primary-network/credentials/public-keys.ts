import { recover } from "tiny-secp256k1";

/** Keys that are remembered. */
const CACHE_SIZE = 50_000;
const RECOVERY_ID_AT = 64;

type RecoveryId = Parameters<typeof recover>[2];

/** Finds out who made signatures that a chain has accepted. */
export interface PublicKeys {
  /**
   * The compressed key that made a signature over a hash. It costs a third of a millisecond, once for each signer: an
   * address (`0x` hex; null: not known) is the hash of one key.
   */
  of(signer: string | null, hash: Uint8Array, signature: Uint8Array): Uint8Array;
}

export function createPublicKeys(): PublicKeys {
  const known = new Map<string, Uint8Array>();
  return {
    of(signer, hash, signature) {
      const found = signer === null ? undefined : known.get(signer);
      if (found) return found;
      const recoveryId = signature[RECOVERY_ID_AT] as RecoveryId;
      const key = recover(hash, signature.subarray(0, RECOVERY_ID_AT), recoveryId, true);
      if (!key) throw new Error(`no key has made signature ${Buffer.from(signature).toString("hex")}`);
      if (signer === null) return key;
      if (known.size >= CACHE_SIZE) known.delete(known.keys().next().value as string);
      known.set(signer, key);
      return key;
    },
  };
}
