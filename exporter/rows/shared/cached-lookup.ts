/** Reads values by key; keys without a value are left out. */
export type ReadValues<Value> = (keys: readonly string[]) => Promise<Iterable<readonly [key: string, value: Value]>>;

/** Values of at least the keys that were looked up; null: there is none. */
export type CachedValues<Value> = ReadonlyMap<string, Value | null>;

/**
 * Returns a function that looks up the values of a batch: one read for all keys that are not in its cache. The cache is
 * emptied when it has more than `limit` keys.
 */
export function cachedLookup<Value>(
  read: ReadValues<Value>,
  limit: number,
): (keys: ReadonlySet<string>) => Promise<CachedValues<Value>> {
  let cache = new Map<string, Value | null>();
  return async (keys) => {
    if (cache.size > limit) cache = new Map();
    const missing = [...keys].filter((key) => !cache.has(key));
    if (missing.length > 0) {
      for (const key of missing) cache.set(key, null);
      for (const [key, value] of await read(missing)) cache.set(key, value);
    }
    return cache;
  };
}
