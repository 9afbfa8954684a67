import { LRUCache } from "lru-cache";
import { recover } from "tiny-secp256k1";

/** Maximum number of cached keys. */
const CACHE_SIZE = 50_000;
const RECOVERY_ID_AT = 64;

type RecoveryId = Parameters<typeof recover>[2];

/** Recovers the public keys of signatures that a chain has accepted. */
export interface PublicKeys {
  /**
   * The compressed public key of a signature over a hash. A recovery takes about 0.3 ms. The key is cached by signer address
   * (`0x` hex; null: not known), because an address is the hash of one key.
   */
  of(signer: string | null, hash: Uint8Array, signature: Uint8Array): Uint8Array;
}

export function createPublicKeys(): PublicKeys {
  const known = new LRUCache<string, Uint8Array>({ max: CACHE_SIZE });
  return {
    of(signer, hash, signature) {
      const found = signer === null ? undefined : known.get(signer);
      if (found) return found;
      const recoveryId = signature[RECOVERY_ID_AT] as RecoveryId;
      const key = recover(hash, signature.subarray(0, RECOVERY_ID_AT), recoveryId, true);
      if (!key)
        throw new Error(`no public key can be recovered from signature ${Buffer.from(signature).toString("hex")}`);
      if (signer === null) return key;
      known.set(signer, key);
      return key;
    },
  };
}
