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
  const known = new Map<string, Signature>();
  const nameOf = (messageId: string, { compressed }: PublicKey) =>
    Buffer.concat([Buffer.from(messageId, "hex"), compressed]).toString("latin1");
  const put = (name: string, signature: Signature) => {
    known.delete(name);
    known.set(name, signature);
  };
  return {
    get(messageId, publicKey) {
      const name = nameOf(messageId, publicKey);
      const signature = known.get(name);
      if (!signature) return null;
      put(name, signature);
      return signature;
    },
    add(messageId, publicKey, signature) {
      put(nameOf(messageId, publicKey), signature);
      if (known.size > limit) known.delete(known.keys().next().value as string); // it has at least one
    },
  };
}
