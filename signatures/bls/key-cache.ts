import { type PublicKey, parsePublicKey } from "./keys.ts";

/**
 * A `parsePublicKey` that remembers up to `limit` keys, because parsing takes 40 µs and the sets of a network have nearly the
 * same keys at all heights. The keys that were not used for the longest time are forgotten first.
 */
export function createKeyCache(limit: number): (bytes: Uint8Array) => PublicKey {
  const known = new Map<string, PublicKey>();
  return (bytes) => {
    const name = Buffer.from(bytes).toString("latin1");
    const key = known.get(name) ?? parsePublicKey(Uint8Array.from(bytes));
    known.delete(name);
    known.set(name, key);
    if (known.size > limit) known.delete(known.keys().next().value as string); // it has at least one
    return key;
  };
}
