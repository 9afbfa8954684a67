import { pgBytes } from "../../shared/pg-bytes.ts";
import type { CopiedRow } from "../../shared/table-rows.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockBalances } from "./holdings/holder-changes.ts";

type BalanceRow = CopiedRow<"erc20_balances">;

/** A stored holder of a token: its number, and its balance before some blocks. */
export interface HolderBefore {
  readonly holderId: number;
  readonly balance: bigint;
}

/** Stored holders by token and address concatenated. */
export type HoldersBefore = ReadonlyMap<string, HolderBefore>;

/** Balances after each of some blocks. */
export interface RunningBalances {
  /** Rows of `erc20_balances`, by block number. The number of a holder that is not stored is null. */
  readonly rows: ReadonlyMap<number, readonly BalanceRow[]>;
  /** Balances after the last block, by token and address concatenated. */
  readonly latest: ReadonlyMap<string, bigint>;
}

/**
 * The changed balances after each of these consecutive blocks. `before` has the balances before the first block, if not 0.
 */
export function runningBalances(
  blocks: readonly BlockBalances[],
  holders: HoldersBefore,
  before: ReadonlyMap<string, bigint> = balancesOf(holders),
): RunningBalances {
  const latest = new Map(before);
  const rows = new Map<number, BalanceRow[]>();
  for (const { number, balances } of blocks) {
    const blockRows: BalanceRow[] = [];
    for (const { pair, amount } of balances) {
      const balance = (latest.get(pair) ?? 0n) + amount;
      latest.set(pair, balance);
      blockRows.push({ holder_id: holders.get(pair)?.holderId ?? null, block_number: number, balance });
    }
    rows.set(number, blockRows);
  }
  return { rows, latest };
}

/** The balances of stored holders. */
export const balancesOf = (holders: HoldersBefore): Map<string, bigint> =>
  new Map([...holders].map(([pair, { balance }]) => [pair, balance]));

/**
 * The stored holders whose balances the blocks change, with their balances before the first of the blocks. One statement.
 */
export async function holdersBefore(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<Map<string, HolderBefore>> {
  const pairs = changedPairs(blocks);
  if (pairs.length === 0) return new Map();
  const rows = await session.query<{ pair: string; holder_id: number; balance: string }>(
    `SELECT encode(p.token || p.address, 'hex') AS pair, h.holder_id, coalesce(b.balance, 0) AS balance
     FROM unnest($2::bytea[], $3::bytea[]) AS p (token, address)
       CROSS JOIN LATERAL (SELECT holder_id FROM erc20_holders
         WHERE chain_id = $1 AND token_address = p.token AND address = p.address LIMIT 1) h
       LEFT JOIN LATERAL (SELECT balance FROM erc20_balances
         WHERE chain_id = $1 AND holder_id = h.holder_id AND block_number < $4::bigint
         ORDER BY block_number DESC LIMIT 1) b ON true`,
    [
      chainId,
      pairs.map(([token]) => pgBytes(token)),
      pairs.map(([, address]) => pgBytes(address)),
      blocks[0]?.number ?? 0,
    ],
  );
  return new Map(rows.map((row) => [row.pair, { holderId: row.holder_id, balance: BigInt(row.balance) }]));
}

/** The pairs of token and address whose balance changes in the blocks, each once. */
export function changedPairs(blocks: readonly BlockBalances[]): [token: string, address: string][] {
  const pairs = new Map<string, [string, string]>();
  for (const { balances } of blocks) for (const { pair, token, address } of balances) pairs.set(pair, [token, address]);
  return [...pairs.values()];
}
