import { createKeyedLimit } from "./keyed-limit.ts";
import { once } from "./once.ts";

/** Gives a place back. Further calls do nothing. */
export type ReleasePlace = () => void;

/**
 * Places that are taken in this process under each key, such as a caller. The limit is the same for every key, and keys never wait for one
 * another.
 */
export interface KeyedPlaces {
  /** Takes a place, or returns null if the key has no free one. */
  take(key: string): ReleasePlace | null;
  /**
   * Calls `onPlace` with a place that another user of the key gives back, in the order of these calls. To be called when `take` has returned null.
   * Returns the function that ends the waiting; it does nothing after `onPlace` was called.
   */
  wait(key: string, onPlace: (release: ReleasePlace) => void): () => void;
}

type OnPlace = (release: ReleasePlace) => void;

export function createKeyedPlaces(max: number): KeyedPlaces {
  const limit = createKeyedLimit(max);
  const waiting = new Map<string, Set<OnPlace>>();
  const leave = (key: string, onPlace: OnPlace): void => {
    const ofKey = waiting.get(key);
    ofKey?.delete(onPlace);
    if (ofKey?.size === 0) waiting.delete(key);
  };
  /** Gives the place to the one that waits longest, or back. */
  const passOn = (key: string, release: ReleasePlace): ReleasePlace =>
    once(() => {
      const [next] = waiting.get(key) ?? [];
      if (!next) return release();
      leave(key, next);
      next(passOn(key, release));
    });
  return {
    take(key) {
      const release = limit.take(key);
      return release && passOn(key, release);
    },
    wait(key, onPlace) {
      const ofKey = waiting.get(key) ?? new Set();
      waiting.set(key, ofKey.add(onPlace));
      return () => leave(key, onPlace);
    },
  };
}
