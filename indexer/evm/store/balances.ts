import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { Row } from "../decode/columns.ts";
import type { BlockBalances } from "./holdings/holder-changes.ts";

/** Columns of `erc20_balances`, in the order of the rows of `runningBalances`. */
export const BALANCE_COLUMNS = ["chain_id", "token_address", "address", "block_number", "balance"] as const;

/** Balances after each of some blocks. */
export interface RunningBalances {
  /** Rows of `erc20_balances`, by block number. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** Balances after the last block, by token and address concatenated. */
  readonly latest: ReadonlyMap<string, bigint>;
}

/** The changed balances after each of these consecutive blocks. `before` has the balances before the first block, if not 0. */
export function runningBalances(
  chainId: string,
  blocks: readonly BlockBalances[],
  before: ReadonlyMap<string, bigint>,
): RunningBalances {
  const latest = new Map(before);
  const rows = new Map<number, Row[]>();
  for (const { number, balances } of blocks) {
    const blockRows: Row[] = [];
    for (const { pair, token, address, amount } of balances) {
      const balance = (latest.get(pair) ?? 0n) + amount;
      latest.set(pair, balance);
      blockRows.push([chainId, pgBytes(token), pgBytes(address), String(number), balance.toString()]);
    }
    rows.set(number, blockRows);
  }
  return { rows, latest };
}

/**
 * The stored balances before the first of some blocks, of all holders that the blocks change, by token and address
 * concatenated. One statement.
 */
export async function balancesBefore(
  session: Session,
  chainId: string,
  blocks: readonly BlockBalances[],
): Promise<Map<string, bigint>> {
  const pairs = changedPairs(blocks);
  if (pairs.length === 0) return new Map();
  const rows = await session.query<{ pair: string; balance: string }>(
    `SELECT encode(p.token || p.address, 'hex') AS pair, b.balance
     FROM unnest($2::bytea[], $3::bytea[]) AS p (token, address), LATERAL (
       SELECT balance FROM erc20_balances
       WHERE chain_id = $1 AND token_address = p.token AND address = p.address AND block_number < $4
       ORDER BY block_number DESC LIMIT 1) b`,
    [
      chainId,
      pairs.map(([token]) => pgBytes(token)),
      pairs.map(([, address]) => pgBytes(address)),
      blocks[0]?.number ?? 0,
    ],
  );
  return new Map(rows.map(({ pair, balance }) => [pair, BigInt(balance)]));
}

/** The pairs of token and address whose balance changes in the blocks, each once. */
function changedPairs(blocks: readonly BlockBalances[]): [token: string, address: string][] {
  const pairs = new Map<string, [string, string]>();
  for (const { balances } of blocks) for (const { pair, token, address } of balances) pairs.set(pair, [token, address]);
  return [...pairs.values()];
}
