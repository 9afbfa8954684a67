import { LRUCache } from "lru-cache";
import type { PublicKey } from "../bls/keys.ts";
import type { Signature } from "../bls/signatures.ts";

/** Signatures that were verified, so that nobody is asked for them again. */
export interface VerifiedSignatures {
  /** Null if there is none. `messageId` is in hex. */
  get(messageId: string, publicKey: PublicKey): Signature | null;
  add(messageId: string, publicKey: PublicKey, signature: Signature): void;
}

/** Keeps up to `limit` signatures. Those that were not used for the longest time are forgotten first. */
export function createVerifiedSignatures(limit: number): VerifiedSignatures {
  const known = new LRUCache<string, Signature>({ max: limit });
  const nameOf = (messageId: string, { compressed }: PublicKey) =>
    Buffer.concat([Buffer.from(messageId, "hex"), compressed]).toString("latin1");
  return {
    get: (messageId, publicKey) => known.get(nameOf(messageId, publicKey)) ?? null,
    add(messageId, publicKey, signature) {
      known.set(nameOf(messageId, publicKey), signature);
    },
  };
}
