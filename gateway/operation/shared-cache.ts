import { LRUCache } from "lru-cache";

/**
 * Keeps the values that were used last, so that neither one caller nor a flood of keys that are used once can replace what others use. A value
 * is new until it is used again. If there is no place, a new value is lost while new values have more than 30 % of the places, and otherwise
 * one that was used again. It is a value of the caller who has most, if this caller has more than 15 % of the places with new values, or more
 * than 35 % with others. If there is no such caller, it is the value that was not used for longest.
 */
export interface SharedCache<Value> {
  /** The value of a key; undefined if it is not kept. */
  get(key: string): Value | undefined;
  /** Keeps the value of a key. `owner` is the caller who brought it; null for values that no caller brings. */
  add(key: string, value: Value, owner: string | null): void;
}

export interface SharedCacheOptions {
  /** The sum of the sizes of all values that are kept. */
  readonly maxSize: number;
  sizeOf(key: string): number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly owner: string | null;
  readonly size: number;
}

/** The part of the places that new values keep when others need place. */
const NEW_PART = 0.3;
/** The part of these places, and of the others, that a caller keeps when others need place, and that a single value may have. */
const SHARE = 0.5;

export function createSharedCache<Value>({ maxSize, sizeOf }: SharedCacheOptions): SharedCache<Value> {
  const freshSize = Math.floor(maxSize * NEW_PART);
  const fresh = createPart<Value>(maxSize, freshSize * SHARE);
  const used = createPart<Value>(maxSize, (maxSize - freshSize) * SHARE);
  return {
    get(key) {
      const found = used.entries.get(key);
      if (found) return found.value;
      const entry = fresh.entries.get(key);
      if (!entry) return undefined;
      fresh.remove(key);
      used.add(key, entry);
      return entry.value;
    },
    add(key, value, owner) {
      const size = sizeOf(key);
      if (size > freshSize * SHARE) return;
      used.remove(key);
      fresh.remove(key);
      while (fresh.entries.calculatedSize + used.entries.calculatedSize + size > maxSize) {
        const part = fresh.entries.calculatedSize + size > freshSize ? fresh : used;
        part.removeOldest(owner, size);
      }
      fresh.add(key, { value, owner, size });
    },
  };
}

/** The entries of a cache that are new, or those that were used again. `share` is what an owner keeps when others need place. */
function createPart<Value>(maxSize: number, share: number) {
  // It never replaces an entry itself: there is always place.
  const entries = new LRUCache<string, Entry<Value>>({ maxSize, sizeCalculation: ({ size }) => size });
  /** Sizes of the values of each owner. */
  const sizes = new Map<string, number>();
  const sizeOf = (owner: string | null): number => (owner === null ? 0 : (sizes.get(owner) ?? 0));
  /** Who has most of all with more than their share, if `size` is added to what `owner` has; null if there is none. */
  const largestOwner = (owner: string | null, size: number): string | null => {
    let largest: string | null = null;
    let most = share;
    for (const [one, ownSize] of sizes) {
      const total = one === owner ? ownSize + size : ownSize;
      if (total <= most) continue;
      largest = one;
      most = total;
    }
    return largest;
  };
  const count = (owner: string | null, change: number): void => {
    if (owner === null) return;
    const size = sizeOf(owner) + change;
    if (size > 0) sizes.set(owner, size);
    else sizes.delete(owner);
  };
  const remove = (key: string): void => {
    const entry = entries.peek(key);
    if (!entry) return;
    entries.delete(key);
    count(entry.owner, -entry.size);
  };
  return {
    entries,
    remove,
    add(key: string, entry: Entry<Value>): void {
      entries.set(key, entry);
      count(entry.owner, entry.size);
    },
    /** Removes the entry that was not used for longest: of the largest owner, or of all if nobody has more than the share. */
    removeOldest(owner: string | null, size: number): void {
      const loser = largestOwner(owner, size);
      for (const key of entries.rkeys()) {
        if (loser !== null && entries.peek(key)?.owner !== loser) continue;
        remove(key);
        return;
      }
    },
  };
}
