/** Units that callers used, by windows of time. Answers at once: nothing here waits for a database. */
export interface RateCounters {
  /**
   * Adds units to what `caller` used in the window of that number and returns the sum, as far as this process knows it:
   * what other processes counted arrives within a second or so. Negative units take back.
   */
  add(caller: string, window: number, units: number): number;
}

/** What a caller used: told by all processes together, and counted here since. */
interface Usage {
  shared: number;
  unsent: number;
}

/** Units of a caller in a window, counted by one process and not sent yet, or by all of them. */
export interface CountedUnits {
  readonly caller: string;
  readonly window: number;
  readonly units: number;
}

/** Counters in memory that can be brought together with those of other processes. */
export interface LocalCounters extends RateCounters {
  /** Hands over what was counted since the last call; callers of past windows are forgotten. */
  take(currentWindow: number): CountedUnits[];
  /** Learns the sums of all processes, what was handed over included. */
  learn(sums: readonly CountedUnits[]): void;
  /** Takes back what was handed over and could not be sent. */
  restore(counted: readonly CountedUnits[]): void;
}

/** Counters of one process. Only the newest window is kept; what still comes for an older one counts for it. */
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
      return used.map(([caller, usage]) => ({ caller, window: newest, units: handOver(usage) }));
    },
    learn(sums) {
      for (const { caller, window, units } of sums) {
        const usage = window === newest ? usages.get(caller) : undefined;
        if (usage) usage.shared = units;
      }
    },
    restore(counted) {
      for (const { caller, window, units } of counted) {
        const usage = window === newest ? usages.get(caller) : undefined;
        if (usage) handOver(usage, -units);
      }
    },
  };
}

/** Until the sum of all is learnt what was handed over counts as shared, so that no request sees too small a sum. */
function handOver(usage: Usage, units = usage.unsent): number {
  usage.shared += units;
  usage.unsent -= units;
  return units;
}
