import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";

/** Numbers of the indexed blocks and transactions of a chain. */
export interface ChainCounts {
  readonly chainId: string;
  readonly blocks: string;
  readonly transactions: string;
}

/** Reads the counts of chains in one statement. Chains without an indexed block are left out. */
export type ReadChainCounts = (keys: readonly { readonly chainId: string }[], work: Work) => Promise<ChainCounts[]>;

/** All blocks from the genesis to the last one are indexed. */
const COUNTS = `SELECT chain_id AS "chainId", block_number + 1 AS blocks, cumulative_transactions AS transactions
  FROM chain_heads WHERE chain_id = ANY ($1::bigint[]) AND block_number >= 0`;

export function createChainCounts({ pool }: Pick<Database, "pool">): ReadChainCounts {
  const counts = prepared<{ [Name in keyof ChainCounts]: ChainCounts[Name] }>(pool, "counts-of-chains", COUNTS);
  return (keys, work) => counts([keys.map(({ chainId }) => chainId)], work);
}
