import { type Database, prepared } from "../../../core/database.ts";
import { type IndexerProgress, notIndexed } from "../../shared/not-indexed.ts";

/**
 * Throws `UNAVAILABLE`, with the state of the chain's indexer and the reason, if no block of the chain is indexed. Call it where nothing was
 * found: it sends one statement.
 */
export type RequireIndexed = (chainId: string) => Promise<void>;

/** One row if no block of the chain is indexed. */
const UNINDEXED = `SELECT p.state, p.reason FROM (SELECT) one LEFT JOIN chain_progress p ON p.chain_id = $1
  WHERE NOT EXISTS (SELECT FROM chain_heads h WHERE h.chain_id = $1 AND h.block_number >= 0)`;

export function createRequireIndexed({ pool }: Pick<Database, "pool">): RequireIndexed {
  const unindexed = prepared<IndexerProgress & Record<string, string | null>>(pool, "unindexed-chain", UNINDEXED);
  return async (chainId) => {
    const [indexer] = await unindexed([chainId]);
    if (indexer) throw notIndexed(`chain ${chainId}`, indexer);
  };
}
