import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";

export interface BalanceKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  readonly address: string;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
}

export interface Balance extends BalanceKey {
  readonly balance: string;
  /** The chain's last indexed block; null if no block is indexed. */
  readonly head: string | null;
}

export interface Erc20BalanceStore {
  /** Reads the balances of addresses after blocks, as the indexer summed them from events. One statement for each chain. */
  atBlock(keys: readonly BalanceKey[], work: Work): Promise<Balance[]>;
}

/**
 * Balances after blocks. Reads the history of an address only if its balance changed before and after the block. The constant limit makes
 * the planner read the index for each key.
 */
export const AT_BLOCK = `SELECT k.request, coalesce(held.balance, 0) AS balance, nullif(h.block_number, -1) AS head
  FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) WITH ORDINALITY
      AS k(token_address, address, block_number, request)
    LEFT JOIN chain_heads h ON h.chain_id = $1
    LEFT JOIN LATERAL (SELECT CASE WHEN t.last_block_number <= k.block_number THEN t.balance
        WHEN t.first_block_number > k.block_number THEN 0
        ELSE (SELECT b.balance FROM erc20_balances b WHERE b.chain_id = $1 AND b.holder_id = t.holder_id
          AND b.block_number <= k.block_number ORDER BY b.block_number DESC LIMIT 1) END AS balance
      FROM erc20_holders t
      WHERE t.chain_id = $1 AND t.token_address = k.token_address AND t.address = k.address LIMIT 1) held ON true`;

export function createErc20BalanceStore({ pool }: Pick<Database, "pool">): Erc20BalanceStore {
  const atBlock = prepared<{ request: string; balance: string; head: string | null }>(
    pool,
    "erc20-balances-at-block",
    AT_BLOCK,
  );
  const read = readRowsOfKeys(atBlock, {
    partitionOf: ({ chainId }: BalanceKey) => chainId,
    valuesOf: (keys) => [
      keys.map(({ tokenAddress }) => bytea(tokenAddress)),
      keys.map(({ address }) => bytea(address)),
      keys.map(({ blockNumber }) => bigint(blockNumber ?? MAX_BIGINT)),
    ],
  });
  return {
    async atBlock(keys, work) {
      const byKey = await read(keys, work);
      return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ balance, head }) => ({ ...key, balance, head })));
    },
  };
}
