import type { Clock } from "../../clock.ts";
import { type BloomFilter, createBloomFilter } from "../wire/bloom-filter.ts";

/** A filter lasts this long. After that, addresses that it hid by mistake are hidden no more. */
const MAX_AGE_MS = 60_000;
const MIN_CAPACITY = 128;

export interface KnownPeers {
  /** Adds a key that `keys` returns from now on. */
  add(key: Uint8Array): void;
  value(): BloomFilter;
}

/** The filter of all keys. It is made again only when it is full or old, because each handshake contains it. */
export function createKnownPeers(clock: Clock, keys: () => readonly Uint8Array[]): KnownPeers {
  const create = () => {
    const all = keys();
    const capacity = Math.max(MIN_CAPACITY, 2 * all.length);
    const filter = createBloomFilter(capacity);
    for (const key of all) filter.add(key);
    return { filter, left: capacity - all.length, createdAtMs: clock.nowMs() };
  };
  let current = create();
  return {
    add(key) {
      current.left--;
      if (current.left < 0) current = create();
      else current.filter.add(key);
    },
    value() {
      if (clock.nowMs() - current.createdAtMs > MAX_AGE_MS) current = create();
      return current.filter.value();
    },
  };
}
