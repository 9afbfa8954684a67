import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { type ChainKey, OF_CHAINS } from "../chains/indexer-states.ts";

/** Sums over the blocks of 24 hours, as decimal text. */
export interface RecentCounts extends ChainKey {
  readonly lastBlockTimestamp: string;
  readonly blocks: string;
  readonly transactions: string;
  readonly gasUsed: string;
  readonly feesSpent: string;
  readonly newAddresses: string;
  readonly newContracts: string;
  readonly erc20Transfers: string;
}

export interface Last24HoursStore {
  /** Reads the sums of chains, in one statement for each. Chains whose activity is not indexed are left out. */
  byChain(keys: readonly ChainKey[], work: Work): Promise<RecentCounts[]>;
}

/**
 * `since` is 24 hours before the last indexed block. The hours that begin after `since`, also the hour of the last block, are read
 * as a whole. The blocks between `since` and the first of these hours are read one by one.
 */
const LAST_24_HOURS = `SELECT h.chain_id AS "chainId", h.block_timestamp AS "lastBlockTimestamp", s.*
  FROM chain_heads h,
  LATERAL (SELECT h.block_timestamp - 86400 AS since, ((h.block_timestamp - 86400) / 3600 + 1) * 3600 AS first_hour) t,
  LATERAL (SELECT sum(blocks) AS blocks, sum(transactions) AS transactions, sum(gas_used) AS "gasUsed",
      sum(fees_spent) AS "feesSpent", sum(new_addresses) AS "newAddresses", sum(new_contracts) AS "newContracts",
      sum(erc20_transfers) AS "erc20Transfers"
    FROM (
      SELECT blocks, transactions, gas_used, fees_spent, new_addresses, new_contracts, erc20_transfers
      FROM evm_activity e WHERE e.chain_id = $1 AND e.interval = 'HOUR' AND e.period_start >= t.first_hour
      UNION ALL
      SELECT 1, b.tx_count, b.gas_used, b.fees_spent, a.new_addresses, a.new_contracts, a.erc20_transfers
      FROM evm_blocks b JOIN evm_block_activity a USING (block_number)
      WHERE b.chain_id = $1 AND a.chain_id = $1 AND b.block_timestamp > t.since AND b.block_timestamp < t.first_hour
        AND b.block_number > 0) parts) s
  WHERE h.chain_id = $1 AND h.block_number > 0 AND s.blocks IS NOT NULL`;

export function createLast24HoursStore({ pool }: Pick<Database, "pool">): Last24HoursStore {
  const byChain = prepared<RecentCounts & Record<string, string>>(pool, "metrics-last-24-hours", LAST_24_HOURS);
  return { byChain: readRowsByPartition(byChain, OF_CHAINS) };
}
