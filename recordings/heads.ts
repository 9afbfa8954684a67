import type { EvmChain } from "./evm-chain.ts";
import { type HeadMode, headAfter } from "./head-clock.ts";

/** The heads of the EVM chains of a replay, by alias. */
export interface Heads {
  of(chain: EvmChain): number;
  /** Stops the clock of a chain with its head at that height; throws when the chain has no such block. */
  set(chain: EvmChain, height: number): void;
}

/** Heads that follow the mode until they are set. */
export function createHeads(chains: readonly EvmChain[], mode: HeadMode): Heads {
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

function clockOf(chain: EvmChain, mode: HeadMode): () => number {
  if (mode === "full") return () => chain.height;
  const { startedAtMs, now = Date.now } = mode;
  const head = headAfter(chain.timesMs());
  return () => head(now() - startedAtMs);
}
