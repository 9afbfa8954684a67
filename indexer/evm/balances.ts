import type { Session } from "../writer.ts";
import { pgBytes, type Row } from "./columns.ts";
import { DEPOSIT_TOPIC, WITHDRAWAL_TOPIC } from "./events.ts";
import type { ChainRules } from "./rules.ts";

/** What a block adds to what an address holds of a token; addresses are hex without `0x`. */
export interface BalanceChange {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
}

const ZERO_ADDRESS = "0".repeat(40);
const COLUMNS = ["chain_id", "token_address", "address", "block_number", "balance"] as const;

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

/** Adds the balances after each of these blocks, which follow all that are stored. One statement, and one COPY. */
export async function insertBalances(
  session: Session,
  chainId: string,
  blocks: readonly BlockChanges[],
): Promise<void> {
  const pairs = new Map<string, readonly [token: string, address: string]>();
  for (const { balances } of blocks)
    for (const { token, address } of balances) pairs.set(token + address, [token, address]);
  if (pairs.size === 0) return;
  const held = await heldBefore(session, chainId, [...pairs.values()]);
  const rows: Row[] = [];
  for (const { number, balances } of blocks) {
    for (const { token, address, amount } of balances) {
      const balance = (held.get(token + address) ?? 0n) + amount;
      held.set(token + address, balance);
      rows.push([chainId, pgBytes(token), pgBytes(address), String(number), balance.toString()]);
    }
  }
  await session.copy("erc20_balances", COLUMNS, rows);
}

async function heldBefore(
  session: Session,
  chainId: string,
  pairs: readonly (readonly [token: string, address: string])[],
): Promise<Map<string, bigint>> {
  const rows = await session.query<{ pair: string; balance: string }>(
    `SELECT encode(p.token || p.address, 'hex') AS pair, b.balance
     FROM unnest($2::bytea[], $3::bytea[]) AS p (token, address), LATERAL (
       SELECT balance FROM erc20_balances
       WHERE chain_id = $1 AND token_address = p.token AND address = p.address
       ORDER BY block_number DESC LIMIT 1) b`,
    [chainId, pairs.map(([token]) => pgBytes(token)), pairs.map(([, address]) => pgBytes(address))],
  );
  return new Map(rows.map(({ pair, balance }) => [pair, BigInt(balance)]));
}

/**
 * Makes again, from the stored transfers and logs, all balances of the tokens and addresses that change in these blocks:
 * every later balance builds on an earlier one.
 */
export async function rebuildBalances(
  session: Session,
  { chainId, wrappedNativeTokens }: ChainRules,
  blocks: readonly BlockChanges[],
): Promise<void> {
  const pairs = new Map<string, BalanceChange>();
  for (const { balances } of blocks) for (const change of balances) pairs.set(change.token + change.address, change);
  const list = [...pairs.values()];
  const values = [chainId, list.map(({ token }) => pgBytes(token)), list.map(({ address }) => pgBytes(address))];
  await session.query(
    `DELETE FROM erc20_balances b USING ${PAIRS}
     WHERE b.chain_id = $1 AND b.token_address = p.token AND b.address = p.address`,
    values,
  );
  const changes = await session.query<ChangeRow>(TRANSFERRED, values);
  const wrapped = list.some(({ token }) => wrappedNativeTokens.has(token))
    ? await session.query<WrappingRow>(WRAPPED, [...values, [...wrappedNativeTokens].map(pgBytes)])
    : [];
  const all = [...changes, ...wrapped.map(changeOf)].map((row) => ({
    number: Number(row.block_number),
    balances: [{ token: row.pair.slice(0, 40), address: row.pair.slice(40), amount: BigInt(row.change) }],
  }));
  await insertBalances(session, chainId, merged(all));
}

interface ChangeRow extends Record<string, unknown> {
  /** Token and address. */
  pair: string;
  block_number: string;
  change: string;
}

interface WrappingRow extends Record<string, unknown> {
  pair: string;
  block_number: string;
  topic: string;
  amount: string;
}

const PAIRS = "unnest($2::bytea[], $3::bytea[]) AS p (token, address)";

const side = (column: string, sign: string): string =>
  `SELECT p.token || p.address AS pair, t.block_number, ${sign}t.value AS change FROM ${PAIRS}, erc20_transfers t
   WHERE t.chain_id = $1 AND t.token_address = p.token AND t.${column} = p.address`;

const TRANSFERRED = `SELECT encode(pair, 'hex') AS pair, block_number, sum(change) AS change
  FROM (${side("from_address", "-")} UNION ALL ${side("to_address", "")}) one GROUP BY pair, block_number`;

const WRAPPED = `SELECT encode(p.token || p.address, 'hex') AS pair, l.block_number, encode(l.topic0, 'hex') AS topic,
    encode(l.data, 'hex') AS amount
  FROM ${PAIRS}, evm_logs l
  WHERE l.chain_id = $1 AND l.address = p.token AND p.token = ANY ($4::bytea[]) AND octet_length(l.data) = 32
    AND l.topic1 IS NOT NULL AND l.topic2 IS NULL AND substring(l.topic1 FROM 13) = p.address`;

function changeOf({ pair, block_number, topic, amount }: WrappingRow): ChangeRow {
  const sign = topic === DEPOSIT_TOPIC ? 1n : topic === WITHDRAWAL_TOPIC ? -1n : 0n;
  return { pair, block_number, change: (sign * BigInt(`0x${amount}`)).toString() };
}

/** Blocks in order, each with its changes summed up. */
function merged(changes: readonly BlockChanges[]): BlockChanges[] {
  const byBlock = new Map<number, BalanceChanges>();
  for (const { number, balances } of changes) {
    const sums = byBlock.get(number) ?? new BalanceChanges();
    for (const { token, address, amount } of balances) sums.add(token, address, amount);
    byBlock.set(number, sums);
  }
  return [...byBlock].sort(([one], [other]) => one - other).map(([number, sums]) => ({ number, balances: sums.all() }));
}
