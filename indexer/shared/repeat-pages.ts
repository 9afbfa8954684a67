import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import type { WorkSignal } from "./work-signal.ts";

/** Pause after a page that was not full, and the shortest one after a page without work. While blocks are written, work comes all the time. */
export const SHORT_PAUSE_MS = 250;
/** The longest pause: the clock of the machine may be changed meanwhile. */
const MOST_IDLE_MS = 3_600_000;

/** There is no work now. */
export interface Idle {
  /** After this time there will be some, in milliseconds; null if it only comes with a notification of `work`. */
  readonly dueInMs: number | null;
}

/** There is no work before this time; null: none is known. Both are in seconds since the epoch. */
export const idleUntil = (atSeconds: number | null, nowSeconds: number): Idle => ({
  dueInMs: atSeconds === null ? null : (atSeconds - nowSeconds) * 1_000,
});

export interface RepeatOptions {
  readonly work: Pick<WorkSignal, "count" | "untilNotified">;
  readonly signal: AbortSignal;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Works on page after page until the signal aborts, then resolves. `page` returns the pause before the next page in milliseconds, or that there
 * is no work: then the next page is read when work is due or notified. So a quiet chain reads its tables once an hour. Hundreds of
 * quiet chains would otherwise ask the database thousands of times in a second, and each of its sessions would keep what it has learnt of the tables of
 * all of them.
 */
export async function repeatPages(page: () => Promise<number | Idle>, options: RepeatOptions): Promise<void> {
  const { work, signal, clock = SYSTEM_CLOCK } = options;
  try {
    for (;;) {
      const { count } = work;
      const next = await page();
      await clock.sleep(typeof next === "number" ? next : SHORT_PAUSE_MS, signal);
      if (typeof next === "number") continue;
      const idleMs = Math.min(next.dueInMs ?? MOST_IDLE_MS, MOST_IDLE_MS) - SHORT_PAUSE_MS;
      if (idleMs > 0) await work.untilNotified(count, idleMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
