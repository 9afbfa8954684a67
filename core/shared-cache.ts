import { LRUCache } from "lru-cache";

/**
 * Keeps the values that were used last, so that neither one caller nor a flood of keys that are used once can replace what others use. A new
 * value is kept in a small part, and moves to a larger one when it is used again. If a part is full, the caller who has more than half of
 * it loses the value that it has not used for longest; if there is no such caller, that of all callers is lost.
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

/** The part of the size for values that were not used again. */
const NEW_PART = 0.3;
/** The part of a part that a caller may have when others need place, and that a single value may have. */
const SHARE = 0.5;

export function createSharedCache<Value>({ maxSize, sizeOf }: SharedCacheOptions): SharedCache<Value> {
  const freshSize = Math.floor(maxSize * NEW_PART);
  const fresh = createPart<Value>(freshSize);
  const used = createPart<Value>(maxSize - freshSize);
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
      used.remove(key);
      fresh.add(key, { value, owner, size: sizeOf(key) });
    },
  };
}

function createPart<Value>(maxSize: number) {
  const share = maxSize * SHARE;
  // It never replaces an entry itself: there is always place.
  const entries = new LRUCache<string, Entry<Value>>({ maxSize, sizeCalculation: ({ size }) => size });
  /** Sizes of the values of each owner. */
  const sizes = new Map<string, number>();
  const sizeOf = (owner: string | null): number => (owner === null ? 0 : (sizes.get(owner) ?? 0));
  let largest: string | null = null;
  const count = (owner: string | null, change: number): void => {
    if (owner === null) return;
    const size = sizeOf(owner) + change;
    if (size > 0) sizes.set(owner, size);
    else sizes.delete(owner);
    // Only one owner can have more than half.
    if (size > share) largest = owner;
    else if (largest === owner) largest = null;
  };
  const remove = (key: string): void => {
    const entry = entries.peek(key);
    if (!entry) return;
    entries.delete(key);
    count(entry.owner, -entry.size);
  };
  /** The key that was not used for longest, of one owner or of all. */
  const oldestKey = (owner: string | null): string | undefined => {
    for (const key of entries.rkeys()) if (owner === null || entries.peek(key)?.owner === owner) return key;
    return undefined;
  };
  return {
    entries,
    remove,
    add(key: string, entry: Entry<Value>): void {
      const { owner, size } = entry;
      if (size > share) return;
      remove(key);
      while (entries.calculatedSize + size > maxSize) {
        const own = sizeOf(owner);
        const oldest = oldestKey(own > 0 && own + size > share ? owner : largest);
        if (oldest === undefined) return;
        remove(oldest);
      }
      entries.set(key, entry);
      count(owner, size);
    },
  };
}
