import type { IndexedChain } from "./indexed-chains.ts";
import { type IndexingProgress, isAtHead, MAX_LAG_BLOCKS } from "./progress.ts";

/**
 * Tracks which chains are bootstrapped: their index has been at the node's head once (see `isAtHead`). A bootstrapped chain stays
 * so until the process ends, as in a node.
 */
export interface Bootstrapping {
  /** Chains that are not bootstrapped. Does not query the database once all are. */
  pending(): Promise<IndexedChain[]>;
  /** Names of bootstrapped chains whose index is more than `MAX_LAG_BLOCKS` behind their node now. */
  lagging(): Promise<string[]>;
}

export function createBootstrapping(
  chains: readonly IndexedChain[],
  indexing: Pick<IndexingProgress, "read">,
): Bootstrapping {
  // Keys of rows, not of chains, because an EVM chain can later turn out to be a C-Chain, which has a second row.
  const finished = new Set<string>();
  const isFinished = ({ parts }: IndexedChain) => parts.every((part) => finished.has(part));
  const pending = () => chains.filter((chain) => !isFinished(chain));
  const readRows = async () => {
    const rows = await indexing.read();
    for (const [part, row] of rows) if (isAtHead(row)) finished.add(part);
    return ({ parts }: IndexedChain) => parts.map((part) => rows.get(part));
  };
  return {
    async pending() {
      if (pending().length > 0) await readRows();
      return pending();
    },
    async lagging() {
      const rowsOf = await readRows();
      const isBehind = (chain: IndexedChain) => rowsOf(chain).some((row) => (row?.lag ?? 0) > MAX_LAG_BLOCKS);
      return chains.filter((chain) => isFinished(chain) && isBehind(chain)).map(({ name }) => name);
    },
  };
}
