import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { BalanceChange } from "../decode/balance-changes.ts";
import type { Row } from "../decode/columns.ts";

/** Columns of `erc20_balances`, in the order of the rows of `runningBalances`. */
export const BALANCE_COLUMNS = ["chain_id", "token_address", "address", "block_number", "balance"] as const;

interface BlockChanges {
  readonly number: number;
  readonly balances: readonly BalanceChange[];
}

/** Balances after each of some blocks. */
export interface RunningBalances {
  /** Rows of `erc20_balances`, by block number. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** Balances after the last block, by token and address concatenated. */
  readonly latest: ReadonlyMap<string, bigint>;
}

/**
 * The changed balances after each of these consecutive blocks. Reads the balances before the first block with one
 * statement; `corrected` replaces stored balances that are known to be wrong, by token and address concatenated.
 */
export async function runningBalances(
  session: Session,
  chainId: string,
  blocks: readonly BlockChanges[],
  corrected: ReadonlyMap<string, bigint> = new Map(),
): Promise<RunningBalances> {
  const pairs = new Map<string, readonly [token: string, address: string]>();
  for (const { balances } of blocks)
    for (const { token, address } of balances) pairs.set(token + address, [token, address]);
  const latest = await balancesBefore(session, chainId, blocks[0]?.number ?? 0, [...pairs.values()]);
  for (const [pair, balance] of corrected) if (pairs.has(pair)) latest.set(pair, balance);
  const rows = new Map<number, Row[]>();
  for (const { number, balances } of blocks) {
    const blockRows: Row[] = [];
    for (const { token, address, amount } of balances) {
      const balance = (latest.get(token + address) ?? 0n) + amount;
      latest.set(token + address, balance);
      blockRows.push([chainId, pgBytes(token), pgBytes(address), String(number), balance.toString()]);
    }
    rows.set(number, blockRows);
  }
  return { rows, latest };
}

/** Inserts the balances after each of these blocks, which must follow all stored ones. One SELECT and one COPY. */
export async function insertBalances(
  session: Session,
  chainId: string,
  blocks: readonly BlockChanges[],
): Promise<void> {
  if (blocks.every(({ balances }) => balances.length === 0)) return;
  const { rows } = await runningBalances(session, chainId, blocks);
  await session.copy("erc20_balances", BALANCE_COLUMNS, [...rows.values()].flat());
}

async function balancesBefore(
  session: Session,
  chainId: string,
  blockNumber: number,
  pairs: readonly (readonly [token: string, address: string])[],
): Promise<Map<string, bigint>> {
  if (pairs.length === 0) return new Map();
  const rows = await session.query<{ pair: string; balance: string }>(
    `SELECT encode(p.token || p.address, 'hex') AS pair, b.balance
     FROM unnest($2::bytea[], $3::bytea[]) AS p (token, address), LATERAL (
       SELECT balance FROM erc20_balances
       WHERE chain_id = $1 AND token_address = p.token AND address = p.address AND block_number < $4
       ORDER BY block_number DESC LIMIT 1) b`,
    [chainId, pairs.map(([token]) => pgBytes(token)), pairs.map(([, address]) => pgBytes(address)), blockNumber],
  );
  return new Map(rows.map(({ pair, balance }) => [pair, BigInt(balance)]));
}
