import { arrivalsOf, type HeadMode, headAfter } from "./head-clock.ts";

/** A chain whose head advances. */
export interface ReplayedChain {
  readonly alias: string;
  /** Height of its last recorded block. */
  readonly height: number;
  /** Time of each block by height, in milliseconds. */
  timesMs(): readonly number[];
}

/** The heads of the chains of a replay, by alias. */
export interface Heads {
  of(chain: ReplayedChain): number;
  /** Sets the head of a chain and stops its clock. Throws if the chain has no such block. */
  set(chain: ReplayedChain, height: number): void;
  /**
   * Unix time in milliseconds at which each block of a chain becomes visible, by height; 0 for those that are visible at the
   * start. Heads that are set do not count.
   */
  arrivalsMs(chain: ReplayedChain): readonly number[];
}

/** Heads that follow `mode` until they are set. */
export function createHeads(chains: readonly ReplayedChain[], mode: HeadMode): Heads {
  const clocks = new Map(chains.map((chain) => [chain.alias, clockOf(chain, mode)]));
  return {
    of: (chain) => clocks.get(chain.alias)?.() ?? chain.height,
    set: (chain, height) => {
      if (!Number.isInteger(height) || height < 0 || height > chain.height) {
        throw new RangeError(`head of ${chain.alias} must be a height from 0 to ${chain.height}, got ${height}`);
      }
      clocks.set(chain.alias, () => height);
    },
    arrivalsMs(chain) {
      if (mode === "full") return Array.from({ length: chain.height + 1 }, () => 0);
      return arrivalsOf(chain.timesMs()).map((elapsedMs) => (elapsedMs === 0 ? 0 : mode.startedAtMs + elapsedMs));
    },
  };
}

function clockOf(chain: ReplayedChain, mode: HeadMode): () => number {
  if (mode === "full") return () => chain.height;
  const { startedAtMs, now = Date.now } = mode;
  const head = headAfter(chain.timesMs());
  return () => head(now() - startedAtMs);
}
