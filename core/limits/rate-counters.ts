/** Lengths of the windows of rate limits, in seconds. */
export const WINDOW_SECONDS = { minute: 60, day: 86_400 } as const;
export type WindowName = keyof typeof WINDOW_SECONDS;
export const WINDOW_NAMES = ["minute", "day"] as const satisfies readonly WindowName[];

/** Counts the units that callers use in windows of one length. A window is given by its number. Counting never waits for a database. */
export interface WindowCounters {
  /** Units that a caller has used in a window, as far as this process knows. */
  used(caller: string, window: number): number;
  /** Adds units to the caller's usage and returns the sum. */
  add(caller: string, window: number, units: number): number;
  /**
   * Asks for the sum of all processes with the next exchange, also if nothing was counted. A sum may include units of a large request that
   * another process counts first and then refuses.
   */
  refresh(caller: string): void;
  /** Units of the caller in the newest window that other processes may not know yet. */
  unconfirmed(caller: string): number;
}

/** Counters of every length. */
export interface RateCounters extends Readonly<Record<WindowName, WindowCounters>> {
  /**
   * Exchanges the usage with other processes. Resolves when everything that was counted before is confirmed, or if the exchange fails;
   * never rejects. Null if there is nobody to exchange with at present.
   */
  exchange(): Promise<void> | null;
}

/** Counters of this process alone. */
export function createLocalCounters(): RateCounters {
  const local = (): WindowCounters => ({ ...createWindowCounters(), unconfirmed: () => 0 });
  return { minute: local(), day: local(), exchange: () => null };
}

/** A caller's usage: the sum of all processes, what this process has sent to be added to the sum, and what it has counted since. */
interface Usage {
  shared: number;
  sent: number;
  unsent: number;
  /** See `WindowCounters.refresh`. */
  isRefreshed: boolean;
}

/** A caller's units in a window, counted by one process or by all. */
export interface CountedUnits {
  readonly caller: string;
  readonly window: number;
  readonly units: number;
}

/** Counters in memory that can be combined with those of other processes. */
export interface SharableCounters extends WindowCounters {
  /** Returns what was counted since the last call. Callers of past windows are removed. One exchange runs at a time. */
  take(currentWindow: number): CountedUnits[];
  /** Sets the sums of all processes, which include what `take` has returned. */
  setSums(sums: readonly CountedUnits[]): void;
  /** Restores what `take` has returned if it could not be sent. */
  restore(counted: readonly CountedUnits[]): void;
}

/** Maximum number of callers that are counted at a time. If there are more, the oldest one starts again at 0. */
const MAX_CALLERS = 200_000;

/** Counters of one process. Only the newest window is kept; units for an older window count for the newest. */
export function createWindowCounters(): SharableCounters {
  const usages = new Map<string, Usage>();
  let newest = Number.NEGATIVE_INFINITY;
  const enter = (window: number): void => {
    if (window <= newest) return;
    newest = window;
    usages.clear();
  };
  const begin = (caller: string): Usage => {
    if (usages.size >= MAX_CALLERS) usages.delete(usages.keys().next().value as string);
    const usage = { shared: 0, sent: 0, unsent: 0, isRefreshed: false };
    usages.set(caller, usage);
    return usage;
  };
  /** The usage that includes counted units; undefined if their window is over. */
  const including = ({ caller, window }: CountedUnits) => (window === newest ? usages.get(caller) : undefined);
  return {
    used(caller, window) {
      enter(window);
      return sumOf(usages.get(caller));
    },
    add(caller, window, units) {
      enter(window);
      const usage = usages.get(caller) ?? begin(caller);
      usage.unsent += units;
      return sumOf(usage);
    },
    refresh(caller) {
      const usage = usages.get(caller);
      if (usage) usage.isRefreshed = true;
    },
    unconfirmed(caller) {
      const usage = usages.get(caller);
      return usage ? usage.sent + usage.unsent : 0;
    },
    take(currentWindow) {
      enter(currentWindow);
      const counted: CountedUnits[] = [];
      for (const [caller, usage] of usages) {
        if (usage.unsent === 0 && !usage.isRefreshed) continue;
        usage.isRefreshed = false;
        counted.push({ caller, window: newest, units: usage.unsent });
        usage.sent = usage.unsent;
        usage.unsent = 0;
      }
      return counted;
    },
    setSums(sums) {
      for (const sum of sums) {
        const usage = including(sum);
        if (usage) Object.assign(usage, { shared: sum.units, sent: 0 });
      }
    },
    restore(counted) {
      for (const one of counted) {
        const usage = including(one);
        if (usage) Object.assign(usage, { unsent: usage.unsent + usage.sent, sent: 0 });
      }
    },
  };
}

function sumOf(usage: Usage | undefined): number {
  return usage ? usage.shared + usage.sent + usage.unsent : 0;
}
