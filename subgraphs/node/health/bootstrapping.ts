import type { IndexedChain } from "./indexed-chains.ts";
import { type Indexing, isAtHead, MOST_LAG_BLOCKS } from "./indexing.ts";

/** Which chains have finished their first indexing. Who has does so for as long as the process runs, as in a node. */
export interface Bootstrapping {
  /** Those that have not. Reads nothing once there are none. */
  pending(): Promise<IndexedChain[]>;
  /** Names of those that have and are now too far behind their node. */
  lagging(): Promise<string[]>;
}

export function createBootstrapping(chains: readonly IndexedChain[], indexing: Indexing): Bootstrapping {
  // By their rows: that a chain has atomic transactions is known late.
  const finished = new Set<string>();
  const isFinished = ({ parts }: IndexedChain) => parts.every((part) => finished.has(part));
  const pending = () => chains.filter((chain) => !isFinished(chain));
  const look = async () => {
    const rows = await indexing.read();
    for (const [part, row] of rows) if (isAtHead(row)) finished.add(part);
    return ({ parts }: IndexedChain) => parts.map((part) => rows.get(part));
  };
  return {
    async pending() {
      if (pending().length > 0) await look();
      return pending();
    },
    async lagging() {
      const rowsOf = await look();
      const isBehind = (chain: IndexedChain) => rowsOf(chain).some((row) => (row?.lag ?? 0) > MOST_LAG_BLOCKS);
      return chains.filter((chain) => isFinished(chain) && isBehind(chain)).map(({ name }) => name);
    },
  };
}
