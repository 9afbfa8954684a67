/** Reads facts by key; keys without a fact are left out. */
export type ReadFacts<Fact> = (keys: readonly string[]) => Promise<Iterable<readonly [key: string, fact: Fact]>>;

/** Facts of at least the keys that were asked for; null: there is none. */
export type Facts<Fact> = ReadonlyMap<string, Fact | null>;

/**
 * Returns a function that looks up the facts of a batch: one read for all keys that it does not remember. It remembers up
 * to `limit` keys, and then starts over.
 */
export function remembered<Fact>(
  read: ReadFacts<Fact>,
  limit: number,
): (keys: ReadonlySet<string>) => Promise<Facts<Fact>> {
  let known = new Map<string, Fact | null>();
  return async (keys) => {
    if (known.size > limit) known = new Map();
    const missing = [...keys].filter((key) => !known.has(key));
    if (missing.length > 0) {
      for (const key of missing) known.set(key, null);
      for (const [key, fact] of await read(missing)) known.set(key, fact);
    }
    return known;
  };
}
