import { type Database, prepared } from "../../../core/database/database.ts";
import type { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { type IndexerProgress, notIndexed } from "../../shared/not-indexed.ts";
import type { Load } from "../../shared/rows/loader.ts";

interface ChainKey {
  readonly chainId: string;
}

/** A chain of which no block is indexed, with the progress of its indexer. */
export interface UnindexedChain extends ChainKey, IndexerProgress {}

/** Finds those of the chains of which no block is indexed, in one statement. */
export type FindUnindexedChains = (keys: readonly ChainKey[], work: Work) => Promise<UnindexedChain[]>;

/** The tables have no partitions. */
const UNINDEXED = `SELECT c.chain_id AS "chainId", p.state, p.reason
  FROM unnest($1::bigint[]) AS c(chain_id) LEFT JOIN chain_progress p USING (chain_id)
    LEFT JOIN chain_heads h ON h.chain_id = c.chain_id AND h.block_number >= 0
  WHERE h.chain_id IS NULL`;

export function createFindUnindexedChains({ pool }: Pick<Database, "pool">): FindUnindexedChains {
  const find = prepared<UnindexedChain & Record<string, string | null>>(pool, "unindexed-chains", UNINDEXED);
  return (keys, work) => find([keys.map(({ chainId }) => chainId)], work);
}

/**
 * Throws `UNAVAILABLE`, with the state of the chain's indexer and the reason, if no block of the chain is indexed. Call it where nothing
 * was found: it sends one statement.
 */
export type RequireIndexed = (chainId: string, work: Work) => Promise<void>;

export function createRequireIndexed(database: Pick<Database, "pool">): RequireIndexed {
  const findUnindexed = createFindUnindexedChains(database);
  return async (chainId, work) => {
    const [unindexed] = await findUnindexed([{ chainId }], work);
    if (unindexed) throw unindexedChain(unindexed);
  };
}

interface UnindexedChainsContext {
  readonly load: { readonly unindexedChain: Load<ChainKey, UnindexedChain> };
}

/** Sentence for the descriptions of fields that use `nullIfIndexed`. */
export const UNINDEXED_CHAIN = "Null, with the error `UNAVAILABLE`, until the first block of the chain is indexed.";

/**
 * Returns null, the answer for something that does not exist on the chain. Throws `UNAVAILABLE` like `RequireIndexed`. All calls of
 * one tick share one statement.
 */
export async function nullIfIndexed(chainId: string, { load }: UnindexedChainsContext): Promise<null> {
  const unindexed = await load.unindexedChain({ chainId });
  if (unindexed) throw unindexedChain(unindexed);
  return null;
}

/** The failure that no block of a chain is indexed. */
export const unindexedChain = (chain: UnindexedChain): Failure => notIndexed(`chain ${chain.chainId}`, chain);
