import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import { type HolderChange, MAX_PAST_BALANCES } from "./holder-changes.ts";

/** Adds the balance before the blocks and those between them to the past balances, and keeps the last ones. */
const appended = (past: string, last: string, between: string): string =>
  `(h.${past} || h.${last} || ${between})[
      coalesce(cardinality(h.past_balances), 0) + coalesce(cardinality(excluded.past_balances), 0) + 2 - ${MAX_PAST_BALANCES}:]`;

/** One value if the blocks give the holder a new highest balance, otherwise another. */
const ifHigher = (higher: string, otherwise: string): string =>
  `CASE WHEN h.balance + excluded.max_balance > h.max_balance THEN ${higher} ELSE ${otherwise} END`;

/** A new row has the changes themselves: the balance before was 0. \`greatest\` ignores NULL. */
const ADD = `INSERT INTO erc20_holders AS h (chain_id, token_address, address, balance, max_balance, max_block_number,
    first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance)
  SELECT $1, k.token_address, k.address, k.amount, k.rise, k.rise_block, k.first_block, k.last_block, k.past_blocks::bigint[],
    k.past_sums::numeric[], k.rise_end, k.second_rise
  FROM unnest($2::bytea[], $3::bytea[], $4::numeric[], $5::numeric[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[],
      $11::bigint[], $12::numeric[])
    AS k (token_address, address, amount, rise, rise_block, first_block, last_block, past_blocks, past_sums, rise_end, second_rise)
  ON CONFLICT (chain_id, token_address, address) DO UPDATE SET
    balance = h.balance + excluded.balance,
    max_balance = greatest(h.max_balance, h.balance + excluded.max_balance),
    max_block_number = ${ifHigher("excluded.max_block_number", "h.max_block_number")},
    max_end_block_number = ${ifHigher("excluded.max_end_block_number", "coalesce(h.max_end_block_number, excluded.first_block_number)")},
    second_balance = ${ifHigher("greatest(h.max_balance, h.balance + excluded.second_balance)", "greatest(h.second_balance, h.balance + excluded.max_balance)")},
    last_block_number = excluded.last_block_number,
    past_block_numbers = ${appended("past_block_numbers", "last_block_number", "excluded.past_block_numbers")},
    past_balances = ${appended(
      "past_balances",
      "balance",
      "CASE WHEN excluded.past_balances IS NOT NULL THEN ARRAY(SELECT h.balance + sum FROM unnest(excluded.past_balances) AS sum) END",
    )}
  RETURNING encode(h.token_address || h.address, 'hex') AS pair, h.balance`;

/**
 * Adds the changes of blocks that follow all stored ones to the holders of ERC-20 tokens. Returns the balances before these blocks,
 * by token and address concatenated. One statement.
 */
export async function addToErc20Holders(
  session: Session,
  chainId: string,
  changes: readonly HolderChange[],
): Promise<Map<string, bigint>> {
  // In the order of the primary key, so that neighbours are found in the same page of the index.
  const sorted = [...changes].sort((one, other) => (one.pair < other.pair ? -1 : 1));
  const rows = await session.query<{ pair: string; balance: string }>(ADD, [
    chainId,
    byteArray(sorted.map(({ token }) => pgBytes(token))),
    byteArray(sorted.map(({ address }) => pgBytes(address))),
    numberArray(sorted.map(({ amount }) => amount)),
    numberArray(sorted.map(({ rise }) => rise)),
    numberArray(sorted.map(({ riseBlock }) => riseBlock)),
    numberArray(sorted.map(({ firstBlock }) => firstBlock)),
    numberArray(sorted.map(({ lastBlock }) => lastBlock)),
    arrayOfArrays(sorted.map(({ past }) => past?.map(({ block }) => block))),
    arrayOfArrays(sorted.map(({ past }) => past?.map(({ sum }) => sum))),
    numberArray(sorted.map(({ riseEnd }) => riseEnd)),
    numberArray(sorted.map(({ secondRise }) => secondRise)),
  ]);
  const amounts = new Map(changes.map(({ pair, amount }) => [pair, amount]));
  return new Map(rows.map(({ pair, balance }) => [pair, BigInt(balance) - (amounts.get(pair) ?? 0n)]));
}

/** PostgreSQL's text form of an array of arrays of numbers in their text form. Empty ones are NULL. */
const arrayOfArrays = (arrays: readonly (readonly (number | bigint)[] | undefined)[]): string =>
  `{${arrays.map((numbers) => (numbers ? `"${numberArray(numbers)}"` : "NULL")).join(",")}}`;

/**
 * The balances of these pairs of token and address up to block $4: the last one, those before it, and the two highest ones, with their
 * blocks.
 */
const EARLIER = `SELECT k.token_address, k.address, latest.balance, latest.block_number, highest.balances[1] AS max_balance,
    highest.block_numbers[1] AS max_block_number, following.block_number AS max_end_block_number,
    highest.balances[2] AS second_balance, past.block_numbers, past.balances
  FROM unnest($2::bytea[], $3::bytea[]) AS k (token_address, address)
    LEFT JOIN LATERAL (SELECT balance, block_number FROM erc20_balances
      WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address AND block_number <= $4
      ORDER BY block_number DESC LIMIT 1) AS latest ON true
    LEFT JOIN LATERAL (SELECT array_agg(balance ORDER BY balance DESC, block_number) AS balances,
        array_agg(block_number ORDER BY balance DESC, block_number) AS block_numbers
      FROM (SELECT balance, block_number FROM erc20_balances
        WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address AND block_number <= $4
        ORDER BY balance DESC, block_number LIMIT 2) AS two_highest) AS highest ON true
    LEFT JOIN LATERAL (SELECT block_number FROM erc20_balances
      WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address
        AND block_number > highest.block_numbers[1] AND block_number <= $4
      ORDER BY block_number LIMIT 1) AS following ON true
    LEFT JOIN LATERAL (SELECT array_agg(block_number ORDER BY block_number) AS block_numbers,
        array_agg(balance ORDER BY block_number) AS balances
      FROM (SELECT balance, block_number FROM erc20_balances
        WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address AND block_number <= $4
        ORDER BY block_number DESC LIMIT ${MAX_PAST_BALANCES} OFFSET 1) AS before_latest) AS past ON true`;

/**
 * Restores the rows of these pairs of token and address (hex without `0x`) as they were after block `ancestor`. Reads all balances
 * that such a holder ever had. Two statements.
 */
export async function restoreErc20Holders(
  session: Session,
  chainId: string,
  ancestor: number,
  pairs: readonly (readonly [token: string, address: string])[],
): Promise<void> {
  if (pairs.length === 0) return;
  const tokens = pairs.map(([token]) => pgBytes(token));
  const addresses = pairs.map(([, address]) => pgBytes(address));
  const parameters = [chainId, tokens, addresses, ancestor];
  await session.query(
    `UPDATE erc20_holders h SET balance = e.balance, max_balance = e.max_balance, max_block_number = e.max_block_number,
       last_block_number = e.block_number, past_block_numbers = e.block_numbers, past_balances = e.balances,
       max_end_block_number = e.max_end_block_number, second_balance = e.second_balance
     FROM (${EARLIER}) AS e
     WHERE h.chain_id = $1 AND h.token_address = e.token_address AND h.address = e.address AND e.balance IS NOT NULL`,
    parameters,
  );
  await session.query(
    `DELETE FROM erc20_holders h USING (${EARLIER}) AS e
     WHERE h.chain_id = $1 AND h.token_address = e.token_address AND h.address = e.address AND e.balance IS NULL`,
    parameters,
  );
}
