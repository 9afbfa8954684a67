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
  const finished = new Set<IndexedChain>();
  const pending = () => chains.filter((chain) => !finished.has(chain));
  const look = async () => {
    const rows = await indexing.read();
    const rowsOf = ({ parts }: IndexedChain) => parts.map((part) => rows.get(part));
    for (const chain of pending()) if (rowsOf(chain).every((row) => row && isAtHead(row))) finished.add(chain);
    return rowsOf;
  };
  return {
    async pending() {
      if (pending().length > 0) await look();
      return pending();
    },
    async lagging() {
      const rowsOf = await look();
      const isBehind = (chain: IndexedChain) => rowsOf(chain).some((row) => (row?.lag ?? 0) > MOST_LAG_BLOCKS);
      return [...finished].filter(isBehind).map(({ name }) => name);
    },
  };
}
