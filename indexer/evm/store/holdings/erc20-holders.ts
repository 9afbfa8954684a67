import { partitionOf } from "../../../shared/partitions.ts";
import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import type { Session } from "../../../shared/writer.ts";
import type { HolderBefore } from "../balances.ts";
import { withNestedLoops } from "../nested-loops.ts";
import { type HolderChange, MAX_PAST_BALANCES } from "./holder-changes.ts";

/**
 * Adds the balance before the blocks and those between them to the past balances, and keeps the last ones. `coalesce` changes nothing: if
 * a part of an array is the whole expression, the extension Citus (13.2) ends the server.
 */
const appended = (past: string, last: string, between: string): string =>
  `coalesce((h.${past} || h.${last} || ${between})[
      coalesce(cardinality(h.past_balances), 0) + coalesce(cardinality(k.past_sums), 0) + 2 - ${MAX_PAST_BALANCES}:])`;

/** The changes, each with its holder, if it is stored. New holders get the next numbers. */
const changesOf = (
  holders: string,
): string => `SELECT k.chain_id, k.token_address, k.address, k.amount, k.rise, k.rise_block,
      k.first_block, k.last_block, k.past_blocks::bigint[] AS past_blocks, k.past_sums::numeric[] AS past_sums, k.rise_end,
      k.second_rise, coalesce(h.balance, 0) AS before, h.holder_id IS NULL AS is_new, h.balance + k.rise > h.max_balance AS is_higher,
      coalesce(h.holder_id, (SELECT coalesce(max(holder_id), 0) FROM ${holders} WHERE chain_id = ($1::bigint[])[1])
        + row_number() OVER (PARTITION BY h.holder_id IS NULL ORDER BY k.ordinal)) AS holder_id
    FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::numeric[], $5::numeric[], $6::bigint[], $7::bigint[], $8::bigint[],
        $9::text[], $10::text[], $11::bigint[], $12::numeric[]) WITH ORDINALITY
      AS k (chain_id, token_address, address, amount, rise, rise_block, first_block, last_block, past_blocks, past_sums, rise_end,
        second_rise, ordinal)
      LEFT JOIN ${holders} h ON h.chain_id = k.chain_id AND h.token_address = k.token_address AND h.address = k.address`;

/** Adds the changes to holders that are stored. */
const updateOf = (
  holders: string,
  condition: string,
  highest: string,
): string => `UPDATE ${holders} AS h SET ${highest},
      balance = h.balance + k.amount,
      last_block_number = k.last_block,
      past_block_numbers = ${appended("past_block_numbers", "last_block_number", "k.past_blocks")},
      past_balances = ${appended(
        "past_balances",
        "balance",
        "CASE WHEN k.past_sums IS NOT NULL THEN ARRAY(SELECT h.balance + sum FROM unnest(k.past_sums) AS sum) END",
      )}
    FROM changes AS k WHERE h.chain_id = k.chain_id AND h.holder_id = k.holder_id AND NOT k.is_new AND ${condition}`;

/**
 * The statement for the partition of a chain. A new row has the changes themselves: the balance before was 0. `greatest` ignores NULL.
 *
 * The statement for balances that are no new maximum does not set `max_balance`. PostgreSQL then knows that the keys of its index do not
 * change, and can delete the entries of replaced rows from a full page of the index instead of splitting the page.
 *
 * The chain id is a column of the changes, and not a value of the statement: until PostgreSQL has statistics of a new table, it expects few
 * rows with a given chain id, and would read all of them for each change.
 */
const addOf = (holders: string): string => `WITH changes AS MATERIALIZED (${changesOf(holders)}),
  raised AS (${updateOf(
    holders,
    "k.is_higher",
    `max_balance = h.balance + k.rise, max_block_number = k.rise_block, max_end_block_number = k.rise_end,
      second_balance = greatest(h.max_balance, h.balance + k.second_rise)`,
  )}),
  changed AS (${updateOf(
    holders,
    "NOT k.is_higher",
    `max_end_block_number = coalesce(h.max_end_block_number, k.first_block),
      second_balance = greatest(h.second_balance, h.balance + k.rise)`,
  )}),
  added AS (INSERT INTO ${holders} (chain_id, token_address, address, balance, max_balance, max_block_number, first_block_number,
      last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance, holder_id)
    SELECT chain_id, token_address, address, amount, rise, rise_block, first_block, last_block, past_blocks, past_sums, rise_end,
      second_rise, holder_id
    FROM changes WHERE is_new)
  SELECT encode(token_address || address, 'hex') AS pair, before, holder_id::int FROM changes`;

/**
 * Adds the changes of blocks that follow all stored ones to the holders of ERC-20 tokens. Returns the holders with their balances before
 * these blocks. Three statements.
 */
export async function addToErc20Holders(
  session: Session,
  chainId: string,
  changes: readonly HolderChange[],
): Promise<Map<string, HolderBefore>> {
  // In the order of the primary key, so that neighbours are found in the same page of the index.
  const sorted = [...changes].sort((one, other) => (one.pair < other.pair ? -1 : 1));
  const values = [
    numberArray(sorted.map(() => BigInt(chainId))),
    byteArray(sorted.map(({ token }) => token)),
    byteArray(sorted.map(({ address }) => address)),
    numberArray(sorted.map(({ amount }) => amount)),
    numberArray(sorted.map(({ rise }) => rise)),
    numberArray(sorted.map(({ riseBlock }) => riseBlock)),
    numberArray(sorted.map(({ firstBlock }) => firstBlock)),
    numberArray(sorted.map(({ lastBlock }) => lastBlock)),
    arrayOfArrays(sorted.map(({ past }) => past?.map(({ block }) => block))),
    arrayOfArrays(sorted.map(({ past }) => past?.map(({ sum }) => sum))),
    numberArray(sorted.map(({ riseEnd }) => riseEnd)),
    numberArray(sorted.map(({ secondRise }) => secondRise)),
  ];
  const add = addOf(partitionOf("erc20_holders", chainId));
  const rows = await withNestedLoops(session, () =>
    session.query<{ pair: string; before: string; holder_id: number }>(add, values),
  );
  return new Map(rows.map((row) => [row.pair, { holderId: row.holder_id, balance: BigInt(row.before) }]));
}

/**
 * Stores holders without balances, so that balances of these pairs of token and address (hex without `0x`) can be stored. None of the
 * pairs may be stored. Returns them. Three statements.
 */
export async function insertEmptyHolders(
  session: Session,
  chainId: string,
  pairs: readonly (readonly [token: string, address: string])[],
): Promise<Map<string, HolderBefore>> {
  const nothing = { amount: 0n, rise: 0n, riseBlock: 0, riseEnd: null, secondRise: null, firstBlock: 0, lastBlock: 0 };
  const changes = pairs.map(([token, address]) => ({ ...nothing, token, address, pair: token + address, past: null }));
  return changes.length === 0 ? new Map() : addToErc20Holders(session, chainId, changes);
}

/** PostgreSQL's text form of an array of arrays of numbers in their text form. Empty ones are NULL. */
const arrayOfArrays = (arrays: readonly (readonly (number | bigint)[] | undefined)[]): string =>
  `{${arrays.map((numbers) => (numbers ? `"${numberArray(numbers)}"` : "NULL")).join(",")}}`;

/** The balances of the holders $2 up to block $3: the last one, those before it, and the two highest ones, with their blocks. */
const EARLIER = `SELECT k.holder_id, latest.balance, latest.block_number, highest.balances[1] AS max_balance,
    highest.block_numbers[1] AS max_block_number, following.block_number AS max_end_block_number,
    highest.balances[2] AS second_balance, past.block_numbers, past.balances
  FROM unnest($2::int[]) AS k (holder_id)
    LEFT JOIN LATERAL (SELECT balance, block_number FROM erc20_balances
      WHERE chain_id = $1 AND holder_id = k.holder_id AND block_number <= $3::bigint
      ORDER BY block_number DESC LIMIT 1) AS latest ON true
    LEFT JOIN LATERAL (SELECT array_agg(balance ORDER BY balance DESC, block_number) AS balances,
        array_agg(block_number ORDER BY balance DESC, block_number) AS block_numbers
      FROM (SELECT balance, block_number FROM erc20_balances
        WHERE chain_id = $1 AND holder_id = k.holder_id AND block_number <= $3::bigint
        ORDER BY balance DESC, block_number LIMIT 2) AS two_highest) AS highest ON true
    LEFT JOIN LATERAL (SELECT block_number FROM erc20_balances
      WHERE chain_id = $1 AND holder_id = k.holder_id
        AND block_number > highest.block_numbers[1] AND block_number <= $3::bigint
      ORDER BY block_number LIMIT 1) AS following ON true
    LEFT JOIN LATERAL (SELECT array_agg(block_number ORDER BY block_number) AS block_numbers,
        array_agg(balance ORDER BY block_number) AS balances
      FROM (SELECT balance, block_number FROM erc20_balances
        WHERE chain_id = $1 AND holder_id = k.holder_id AND block_number <= $3::bigint
        ORDER BY block_number DESC LIMIT ${MAX_PAST_BALANCES} OFFSET 1) AS before_latest) AS past ON true`;

/**
 * Restores the rows of these holders as they were after block `ancestor`, and deletes those that had no balance yet. Reads all balances
 * that such a holder ever had. Two statements.
 */
export async function restoreErc20Holders(
  session: Session,
  chainId: string,
  ancestor: number,
  holderIds: readonly number[],
): Promise<void> {
  if (holderIds.length === 0) return;
  const parameters = [chainId, numberArray(holderIds), ancestor];
  await session.query(
    `UPDATE erc20_holders h SET balance = e.balance, max_balance = e.max_balance, max_block_number = e.max_block_number,
       last_block_number = e.block_number, past_block_numbers = e.block_numbers, past_balances = e.balances,
       max_end_block_number = e.max_end_block_number, second_balance = e.second_balance
     FROM (${EARLIER}) AS e
     WHERE h.chain_id = $1 AND h.holder_id = e.holder_id AND e.balance IS NOT NULL`,
    parameters,
  );
  await session.query(
    `DELETE FROM erc20_holders h USING (${EARLIER}) AS e
     WHERE h.chain_id = $1 AND h.holder_id = e.holder_id AND e.balance IS NULL`,
    parameters,
  );
}
