/** A queue in which callers take turns, so that a caller with many entries delays the others by one entry at most. */
export interface FairQueue<Entry> {
  readonly size: number;
  /** Number of callers that have entries. */
  readonly callers: number;
  /** Number of entries of a caller. */
  sizeOf(caller: string): number;
  add(caller: string, entry: Entry): void;
  /** False if the entry is not in the queue any more. */
  remove(caller: string, entry: Entry): boolean;
  /**
   * Removes and returns the oldest entry of the caller whose turn it is. Callers for which `mayEnter` is false keep their turn; undefined
   * if there is no other caller.
   */
  take(mayEnter?: (caller: string) => boolean): Entry | undefined;
}

export function createFairQueue<Entry>(): FairQueue<Entry> {
  /** The callers in the order of their turns. */
  const callers = new Map<string, Set<Entry>>();
  let size = 0;
  const remove = (caller: string, entries: Set<Entry>, entry: Entry): boolean => {
    if (!entries.delete(entry)) return false;
    size--;
    if (entries.size === 0) callers.delete(caller);
    return true;
  };
  return {
    get size() {
      return size;
    },
    get callers() {
      return callers.size;
    },
    sizeOf: (caller) => callers.get(caller)?.size ?? 0,
    add(caller, entry) {
      const entries = callers.get(caller) ?? new Set<Entry>();
      callers.set(caller, entries);
      entries.add(entry);
      size++;
    },
    remove(caller, entry) {
      const entries = callers.get(caller);
      return entries !== undefined && remove(caller, entries, entry);
    },
    take(mayEnter = () => true) {
      for (const [caller, entries] of callers) {
        if (!mayEnter(caller)) continue;
        const [entry] = entries as Set<Entry & {}>;
        remove(caller, entries, entry as Entry);
        // The caller's next turn comes after those of all others.
        if (entries.size > 0) {
          callers.delete(caller);
          callers.set(caller, entries);
        }
        return entry;
      }
      return undefined;
    },
  };
}
