/** Counts how many places are taken in this process under each key, such as an address. The limit is the same for every key. */
export interface KeyedLimit {
  /** Takes a place. Returns the function that gives it back, or null if all places of the key are taken. */
  take(key: string): (() => void) | null;
}

export function createKeyedLimit(max: number): KeyedLimit {
  const takenByKey = new Map<string, number>();
  return {
    take(key) {
      const taken = takenByKey.get(key) ?? 0;
      if (taken >= max) return null;
      takenByKey.set(key, taken + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        const left = (takenByKey.get(key) ?? 1) - 1;
        if (left === 0) takenByKey.delete(key);
        else takenByKey.set(key, left);
      };
    },
  };
}
