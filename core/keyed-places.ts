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

interface PlacesOfKey {
  taken: number;
  readonly waiting: Set<(release: ReleasePlace) => void>;
}

export function createKeyedPlaces(max: number): KeyedPlaces {
  const byKey = new Map<string, PlacesOfKey>();
  const releaseOf = (key: string, places: PlacesOfKey): ReleasePlace =>
    once(() => {
      const [next] = places.waiting;
      if (next) {
        places.waiting.delete(next);
        next(releaseOf(key, places));
        return;
      }
      places.taken--;
      if (places.taken === 0) byKey.delete(key);
    });
  return {
    take(key) {
      const places = byKey.get(key) ?? { taken: 0, waiting: new Set() };
      if (places.taken >= max) return null;
      byKey.set(key, places);
      places.taken++;
      return releaseOf(key, places);
    },
    wait(key, onPlace) {
      const { waiting } = byKey.get(key) as PlacesOfKey; // all places of the key are taken
      waiting.add(onPlace);
      return () => waiting.delete(onPlace);
    },
  };
}
