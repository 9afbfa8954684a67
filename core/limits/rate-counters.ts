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

/** The usage of callers in the newest window. */
interface Usages {
  /** Number of the newest window. */
  newest(): number;
  /** Begins a window: removes the usage of the windows before. Does nothing if the window is not newer than the newest one. */
  enter(window: number): void;
  /** The usage of a caller; undefined if nothing was counted for it. */
  of(caller: string): Usage | undefined;
  /** Adds a caller, whose usage is 0. */
  begin(caller: string): Usage;
  /** The usage that includes counted units; undefined if their window is over. */
  including(counted: CountedUnits): Usage | undefined;
  all(): Iterable<readonly [caller: string, usage: Usage]>;
}

function createUsages(): Usages {
  const usages = new Map<string, Usage>();
  let newest = Number.NEGATIVE_INFINITY;
  // A request reads and changes the usage of its caller several times in a row.
  let latestCaller = "";
  let latest: Usage | undefined;
  const usageOf = (caller: string): Usage | undefined => {
    if (latest && caller === latestCaller) return latest;
    latestCaller = caller;
    latest = usages.get(caller);
    return latest;
  };
  return {
    newest: () => newest,
    enter(window) {
      if (window <= newest) return;
      newest = window;
      latest = undefined;
      usages.clear();
    },
    of: usageOf,
    begin(caller) {
      if (usages.size >= MAX_CALLERS) usages.delete(usages.keys().next().value as string);
      const usage = { shared: 0, sent: 0, unsent: 0, isRefreshed: false };
      latestCaller = caller;
      latest = usage;
      usages.set(caller, usage);
      return usage;
    },
    including: ({ caller, window }) => (window === newest ? usageOf(caller) : undefined),
    all: () => usages,
  };
}

/** Counters of one process. Only the newest window is kept; units for an older window count for the newest. */
export function createWindowCounters(): SharableCounters {
  const usages = createUsages();
  return {
    used(caller, window) {
      usages.enter(window);
      return sumOf(usages.of(caller));
    },
    add(caller, window, units) {
      usages.enter(window);
      const usage = usages.of(caller) ?? usages.begin(caller);
      usage.unsent += units;
      return sumOf(usage);
    },
    refresh(caller) {
      const usage = usages.of(caller);
      if (usage) usage.isRefreshed = true;
    },
    unconfirmed(caller) {
      const usage = usages.of(caller);
      return usage ? usage.sent + usage.unsent : 0;
    },
    ...createExchange(usages),
  };
}

/** The part of the counters that exchanges usage with other processes. */
function createExchange(usages: Usages): Pick<SharableCounters, "take" | "setSums" | "restore"> {
  return {
    take(currentWindow) {
      usages.enter(currentWindow);
      const counted: CountedUnits[] = [];
      for (const [caller, usage] of usages.all()) {
        if (usage.unsent === 0 && !usage.isRefreshed) continue;
        usage.isRefreshed = false;
        counted.push({ caller, window: usages.newest(), units: usage.unsent });
        usage.sent = usage.unsent;
        usage.unsent = 0;
      }
      return counted;
    },
    setSums(sums) {
      for (const sum of sums) {
        const usage = usages.including(sum);
        if (!usage) continue;
        usage.shared = sum.units;
        usage.sent = 0;
      }
    },
    restore(counted) {
      for (const one of counted) {
        const usage = usages.including(one);
        if (!usage) continue;
        usage.unsent += usage.sent;
        usage.sent = 0;
      }
    },
  };
}

function sumOf(usage: Usage | undefined): number {
  return usage ? usage.shared + usage.sent + usage.unsent : 0;
}
