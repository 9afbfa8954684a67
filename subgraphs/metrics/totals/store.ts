import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { type ChainKey, OF_CHAINS } from "../chains/indexer-states.ts";

export interface Totals extends ChainKey {
  readonly blocks: string;
  readonly transactions: string;
  readonly addresses: string;
  readonly contracts: string;
}

export interface TotalsStore {
  /** Reads the totals of chains, in one statement for each. Chains whose activity is not indexed are left out. */
  byChain(keys: readonly ChainKey[], work: Work): Promise<Totals[]>;
}

/** Sums over the months: a few dozen rows of each chain. */
const TOTALS = `SELECT h.chain_id AS "chainId", s.*
  FROM chain_heads h,
  LATERAL (SELECT sum(blocks) AS blocks, sum(transactions) AS transactions, sum(new_addresses) AS addresses,
      sum(new_contracts) AS contracts
    FROM evm_activity e WHERE e.chain_id = $1 AND e.interval = 'MONTH') s
  WHERE h.chain_id = $1 AND h.block_number > 0 AND s.blocks IS NOT NULL`;

export function createTotalsStore({ pool }: Pick<Database, "pool">): TotalsStore {
  const byChain = prepared<Totals & Record<string, string>>(pool, "metrics-totals", TOTALS);
  return { byChain: readRowsByPartition(byChain, OF_CHAINS) };
}
