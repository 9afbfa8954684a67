import { type HeadMode, headAfter } from "./head-clock.ts";

/** A chain whose head moves. */
export interface Headed {
  readonly alias: string;
  /** Height of its last recorded block. */
  readonly height: number;
  /** When each block appeared, by height. */
  timesMs(): readonly number[];
}

/** The heads of the chains of a replay, by alias. */
export interface Heads {
  of(chain: Headed): number;
  /** Stops the clock of a chain with its head at that height; throws when the chain has no such block. */
  set(chain: Headed, height: number): void;
}

/** Heads that follow the mode until they are set. */
export function createHeads(chains: readonly Headed[], mode: HeadMode): Heads {
  const clocks = new Map(chains.map((chain) => [chain.alias, clockOf(chain, mode)]));
  return {
    of: (chain) => clocks.get(chain.alias)?.() ?? chain.height,
    set: (chain, height) => {
      if (!Number.isInteger(height) || height < 0 || height > chain.height) {
        throw new RangeError(`head of ${chain.alias} must be a height from 0 to ${chain.height}, got ${height}`);
      }
      clocks.set(chain.alias, () => height);
    },
  };
}

function clockOf(chain: Headed, mode: HeadMode): () => number {
  if (mode === "full") return () => chain.height;
  const { startedAtMs, now = Date.now } = mode;
  const head = headAfter(chain.timesMs());
  return () => head(now() - startedAtMs);
}
