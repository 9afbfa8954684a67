/** Counts what the holders of each key have open at this process, up to a limit for every key. */
export interface KeyedLimit {
  /** Returns the function that gives the place back, or null if the key has as many as the limit. */
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
