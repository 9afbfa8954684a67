import { type Database, prepared } from "../../../core/database.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows.ts";

export interface BalanceKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  readonly address: string;
  /** Null: the last indexed block. */
  readonly blockNumber: string | null;
}

export interface Balance extends BalanceKey {
  readonly balance: string;
  /** The chain's last indexed block; null before the first. */
  readonly head: string | null;
}

export interface Erc20BalanceStore {
  /** What the addresses hold of the tokens after the blocks, as the tokens' events have it. One statement. */
  after(keys: readonly BalanceKey[]): Promise<Balance[]>;
}

const AFTER = `SELECT k.ask, coalesce(b.balance, 0) AS balance, nullif(h.block_number, -1) AS head
  FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[]) WITH ORDINALITY
      AS k(chain_id, token_address, address, block_number, ask)
    LEFT JOIN chain_heads h USING (chain_id)
    LEFT JOIN LATERAL (SELECT balance FROM erc20_balances t
      WHERE t.chain_id = k.chain_id AND t.token_address = k.token_address AND t.address = k.address
        AND t.block_number <= k.block_number ORDER BY t.block_number DESC LIMIT 1) b ON true`;

export function createErc20BalanceStore({ pool }: Pick<Database, "pool">): Erc20BalanceStore {
  const after = prepared<{ ask: string; balance: string; head: string | null }>(pool, "erc20-balances-after", AFTER);
  return {
    async after(keys) {
      const rows = await after([
        keys.map(({ chainId }) => chainId),
        keys.map(({ tokenAddress }) => bytea(tokenAddress)),
        keys.map(({ address }) => bytea(address)),
        keys.map(({ blockNumber }) => bigint(blockNumber ?? MAX_BIGINT)),
      ]);
      return rows.map(({ ask, balance, head }) => ({ ...(keys[Number(ask) - 1] as BalanceKey), balance, head }));
    },
  };
}
