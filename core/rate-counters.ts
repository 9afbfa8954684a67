/** Counts the units that callers use in windows of time. Counting never waits for a database. */
export interface RateCounters {
  /**
   * Adds units to the caller's usage in a window, given by its number, and returns the sum that this process knows. The
   * usage counted by other processes is included after about one second. Negative units reduce the usage.
   */
  add(caller: string, window: number, units: number): number;
}

/** A caller's usage: the sum of all processes, and what this process has counted since. */
interface Usage {
  shared: number;
  unsent: number;
}

/** A caller's units in a window, counted by one process or by all. */
export interface CountedUnits {
  readonly caller: string;
  readonly window: number;
  readonly units: number;
}

/** Counters in memory that can be combined with those of other processes. */
export interface LocalCounters extends RateCounters {
  /** Returns what was counted since the last call. Callers of past windows are removed. */
  take(currentWindow: number): CountedUnits[];
  /** Sets the sums of all processes, which include what `take` has returned. */
  setSums(sums: readonly CountedUnits[]): void;
  /** Restores what `take` has returned if it could not be sent. */
  restore(counted: readonly CountedUnits[]): void;
}

/** Counters of one process. Only the newest window is kept; units for an older window count for the newest. */
export function createLocalCounters(): LocalCounters {
  const usages = new Map<string, Usage>();
  let newest = Number.NEGATIVE_INFINITY;
  const enter = (window: number) => {
    if (window <= newest) return;
    newest = window;
    usages.clear();
  };
  return {
    add(caller, window, units) {
      enter(window);
      const usage = usages.get(caller) ?? { shared: 0, unsent: 0 };
      usage.unsent += units;
      usages.set(caller, usage);
      return usage.shared + usage.unsent;
    },
    take(currentWindow) {
      enter(currentWindow);
      const used = [...usages].filter(([, { unsent }]) => unsent !== 0);
      return used.map(([caller, usage]) => ({ caller, window: newest, units: moveToShared(usage) }));
    },
    setSums(sums) {
      for (const { caller, window, units } of sums) {
        const usage = window === newest ? usages.get(caller) : undefined;
        if (usage) usage.shared = units;
      }
    },
    restore(counted) {
      for (const { caller, window, units } of counted) {
        const usage = window === newest ? usages.get(caller) : undefined;
        if (usage) moveToShared(usage, -units);
      }
    },
  };
}

/** Moves units from unsent to shared, so that the sum stays complete until the sums of all processes are set. */
function moveToShared(usage: Usage, units = usage.unsent): number {
  usage.shared += units;
  usage.unsent -= units;
  return units;
}
