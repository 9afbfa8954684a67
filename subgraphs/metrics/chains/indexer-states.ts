import type { PartitionParameters } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";

export interface ChainKey {
  readonly chainId: string;
}

/** The parameter of a statement that reads one chain. */
export const OF_CHAINS: PartitionParameters<ChainKey> = { partitionOf: ({ chainId }) => chainId, valuesOf: () => [] };

export interface IndexerState extends ChainKey {
  readonly state: string;
  /** Why the indexer waits, has stopped or rebuilds the rows from stored blocks; null otherwise. */
  readonly reason: string | null;
}

export interface IndexerStates {
  /** Reads the states of the indexers of chains. Chains whose indexer has never started are left out. */
  byChain(keys: readonly ChainKey[], work: Work): Promise<IndexerState[]>;
}

const BY_CHAIN = `SELECT chain_id AS "chainId", state, reason FROM chain_progress WHERE chain_id = ANY ($1::bigint[])`;

export function createIndexerStates({ pool }: Pick<Database, "pool">): IndexerStates {
  const byChain = prepared<IndexerState & Record<string, string | null>>(pool, "metrics-indexer-states", BY_CHAIN);
  return { byChain: (keys, work) => byChain([keys.map(({ chainId }) => chainId)], work) };
}
