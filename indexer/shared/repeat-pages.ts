import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import type { Progress } from "./progress.ts";

/** Pause after a page without work while blocks are written. */
const LEAST_IDLE_MS = 250;
/**
 * After this time without a block, a page is read again: what failed may be due, and a caller may have asked for something. It is longer with
 * more than ten chains, so that each kind of work is looked for at most ten times in a second.
 */
const MOST_IDLE_MS = 1_000;
const IDLE_FOR_CHAIN_MS = 100;

export interface RepeatOptions {
  /** The chain whose blocks bring work. Default: work may come at any time. */
  readonly progress?: Pick<Progress, "current" | "untilOtherBlock"> | undefined;
  /** The number of chains that share the database. Default: few. */
  readonly chainCount?: number | undefined;
  readonly signal: AbortSignal;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * Works on page after page until the signal aborts, then resolves. `page` returns the pause before the next page in milliseconds, or null
 * if there was no work: then the next page is read when the chain has another block, or after a second or more. Hundreds of quiet chains would
 * otherwise ask the database thousands of times in a second.
 */
export async function repeatPages(page: () => Promise<number | null>, options: RepeatOptions): Promise<void> {
  const { progress, chainCount = 1, signal, clock = SYSTEM_CLOCK } = options;
  const idleMs = Math.max(MOST_IDLE_MS, chainCount * IDLE_FOR_CHAIN_MS) - LEAST_IDLE_MS;
  try {
    for (;;) {
      const before = progress?.current.blockNumber ?? 0;
      const pauseMs = await page();
      await clock.sleep(pauseMs ?? LEAST_IDLE_MS, signal);
      if (pauseMs === null) await progress?.untilOtherBlock(before, idleMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
