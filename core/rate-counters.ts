/** Units that callers used, by windows of time. Answers at once: nothing here waits for a database. */
export interface RateCounters {
  /**
   * Adds units to what `caller` used in the window of that number and returns the sum, as far as this process knows it:
   * what other processes counted arrives within a second or so. Negative units take back.
   */
  add(caller: string, window: number, units: number): number;
}

/** What a caller used in the window: told by all processes together, and counted here since. */
interface Usage {
  window: number;
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

/** Counters of one process. They keep the newest window of each caller. */
export function createLocalCounters(): LocalCounters {
  const usages = new Map<string, Usage>();
  const usageOf = (caller: string, window: number): Usage => {
    const known = usages.get(caller);
    if (known && known.window >= window) return known;
    const usage = { window, shared: 0, unsent: 0 };
    usages.set(caller, usage);
    return usage;
  };
  return {
    add(caller, window, units) {
      const usage = usageOf(caller, window);
      usage.unsent += units;
      return usage.shared + usage.unsent;
    },
    take(currentWindow) {
      const counted: CountedUnits[] = [];
      for (const [caller, usage] of usages) {
        if (usage.window < currentWindow) usages.delete(caller);
        else if (usage.unsent !== 0) counted.push(handOver(caller, usage));
      }
      return counted;
    },
    learn(sums) {
      for (const { caller, window, units } of sums) {
        const usage = usages.get(caller);
        if (usage?.window === window) usage.shared = units;
      }
    },
    restore(counted) {
      for (const { caller, window, units } of counted) {
        const usage = usages.get(caller);
        if (usage?.window !== window) continue;
        usage.unsent += units;
        usage.shared -= units;
      }
    },
  };
}

/** Between handing over and learning the sum the units count as shared, so that no request sees too small a sum. */
function handOver(caller: string, usage: Usage): CountedUnits {
  const counted = { caller, window: usage.window, units: usage.unsent };
  usage.shared += usage.unsent;
  usage.unsent = 0;
  return counted;
}
