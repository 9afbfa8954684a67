import { LRUCache } from "lru-cache";
import { type PublicKey, parsePublicKey } from "./keys.ts";

/**
 * A `parsePublicKey` that remembers up to `limit` keys, because parsing takes 40 µs and the sets of a network have nearly the
 * same keys at all heights. The keys that were not used for the longest time are forgotten first.
 */
export function createKeyCache(limit: number): (bytes: Uint8Array) => PublicKey {
  const known = new LRUCache<string, PublicKey>({ max: limit });
  return (bytes) => {
    const name = Buffer.from(bytes).toString("latin1");
    const found = known.get(name);
    if (found) return found;
    const key = parsePublicKey(Uint8Array.from(bytes));
    known.set(name, key);
    return key;
  };
}
