import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import { type Row } from "../decode/columns.ts";

/** What a block adds to what an address holds of a token; addresses are hex without `0x`. */
export interface BalanceChange {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
}

const ZERO_ADDRESS = "0".repeat(40);
/** Columns of `erc20_balances`, in the order of `runningBalances`. */
export const BALANCE_COLUMNS = ["chain_id", "token_address", "address", "block_number", "balance"] as const;

/** Sums up a block's changes per token and address. The zero address holds nothing, and what comes to nothing is left out. */
export class BalanceChanges {
  readonly #sums = new Map<string, bigint>();

  add(token: string, address: string, amount: bigint): void {
    if (address === ZERO_ADDRESS) return;
    const key = token + address;
    this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
  }

  all(): BalanceChange[] {
    const changes: BalanceChange[] = [];
    for (const [key, amount] of this.#sums)
      if (amount !== 0n) changes.push({ token: key.slice(0, 40), address: key.slice(40), amount });
    return changes;
  }
}

interface BlockChanges {
  readonly number: number;
  readonly balances: readonly BalanceChange[];
}

/** What addresses hold after blocks. */
export interface RunningBalances {
  /** By block number. */
  readonly rows: ReadonlyMap<number, readonly Row[]>;
  /** By token and address: after the last of the blocks. */
  readonly held: ReadonlyMap<string, bigint>;
}

/**
 * The balances after each of these blocks, which follow each other, for what changes in them. One statement says what was
 * held before; `corrected` says it, by token and address, where what is stored is known to be wrong.
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
  const held = await heldBefore(session, chainId, blocks[0]?.number ?? 0, [...pairs.values()]);
  for (const [pair, balance] of corrected) if (pairs.has(pair)) held.set(pair, balance);
  const rows = new Map<number, Row[]>();
  for (const { number, balances } of blocks) {
    const ofBlock: Row[] = [];
    for (const { token, address, amount } of balances) {
      const balance = (held.get(token + address) ?? 0n) + amount;
      held.set(token + address, balance);
      ofBlock.push([chainId, pgBytes(token), pgBytes(address), String(number), balance.toString()]);
    }
    rows.set(number, ofBlock);
  }
  return { rows, held };
}

/** Adds the balances after each of these blocks, which follow all that are stored. One statement, and one COPY. */
export async function insertBalances(
  session: Session,
  chainId: string,
  blocks: readonly BlockChanges[],
): Promise<void> {
  if (blocks.every(({ balances }) => balances.length === 0)) return;
  const { rows } = await runningBalances(session, chainId, blocks);
  await session.copy("erc20_balances", BALANCE_COLUMNS, [...rows.values()].flat());
}

async function heldBefore(
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
