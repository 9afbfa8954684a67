import { once } from "../async/once.ts";

/** Counts how many places are taken in this process under each key, such as an address. The limit is the same for every key. */
export interface KeyedLimit {
  /** Takes places, by default one. Returns the function that gives them back, or null if the key does not have so many left. */
  take(key: string, count?: number): (() => void) | null;
}

export function createKeyedLimit(max: number): KeyedLimit {
  const takenByKey = new Map<string, number>();
  return {
    take(key, count = 1) {
      const taken = takenByKey.get(key) ?? 0;
      if (taken + count > max) return null;
      takenByKey.set(key, taken + count);
      return once(() => {
        const left = (takenByKey.get(key) ?? count) - count;
        if (left === 0) takenByKey.delete(key);
        else takenByKey.set(key, left);
      });
    },
  };
}
