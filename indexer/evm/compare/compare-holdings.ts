import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import { MAX_PAST_BALANCES } from "../store/holdings/holder-changes.ts";
import type { HoldingTable } from "../store/tables.ts";
import { type Example, MAX_EXAMPLE_CHARACTERS, NO_ROW } from "./example.ts";
import { type Gap } from "./gap.ts";

/** SQL condition on the column of a token's address; the tokens themselves are the parameter $2. */
type AmongTokens = (column: string) => string;

const ALL_TOKENS: AmongTokens = () => "true";
const SOME_TOKENS: AmongTokens = (column) => `${column} = ANY ($2::bytea[])`;

/** Changes of the number of tokens of an NFT that an address holds. */
const nftChanges = (
  among: AmongTokens,
): string => `SELECT address, token_address, token_id, erc_type, block_number, amount FROM (
    SELECT to_address AS address, token_address, token_id, 'ERC-721' AS erc_type, block_number, 1 AS amount
    FROM erc721_transfers WHERE chain_id = $1 AND ${among("token_address")}
    UNION ALL
    SELECT from_address, token_address, token_id, 'ERC-721', block_number, -1
    FROM erc721_transfers WHERE chain_id = $1 AND ${among("token_address")}
    UNION ALL
    SELECT to_address, token_address, token_id, 'ERC-1155', block_number, value
    FROM erc1155_transfers WHERE chain_id = $1 AND ${among("token_address")}
    UNION ALL
    SELECT from_address, token_address, token_id, 'ERC-1155', block_number, -value
    FROM erc1155_transfers WHERE chain_id = $1 AND ${among("token_address")}) AS side
  WHERE address <> decode(repeat('00', 20), 'hex')`;

/** The number of tokens that an address holds after each block that changed it, counted by some columns. */
const nftBalancesBy = (among: AmongTokens, columns: string): string => `SELECT ${columns}, block_number,
    sum(sum(amount)) OVER (PARTITION BY ${columns} ORDER BY block_number) AS balance
  FROM (${nftChanges(among)}) AS change GROUP BY ${columns}, block_number HAVING sum(amount) <> 0`;

const nftBalances = (among: AmongTokens): string => nftBalancesBy(among, "token_address, address");
const itemBalances = (among: AmongTokens): string => nftBalancesBy(among, "address, token_address, token_id, erc_type");

/** The balances with the token and the address of their holders. */
const erc20Balances = (
  among: AmongTokens,
): string => `SELECT h.token_address, h.address, b.holder_id, b.block_number, b.balance
  FROM erc20_balances b JOIN erc20_holders h ON h.chain_id = $1 AND h.holder_id = b.holder_id
  WHERE b.chain_id = $1 AND ${among("h.token_address")}`;

/**
 * Balances of each holder, numbered from the last one (`age`) and from the highest one (`place`), with the next block that changed the
 * balance.
 */
const numbered = (
  balances: string,
): string => `SELECT *, row_number() OVER (PARTITION BY holder_id ORDER BY balance DESC, block_number) AS place
  FROM (
    SELECT *, row_number() OVER latest_first AS age, lag(block_number) OVER latest_first AS end_block_number
    FROM (${balances}) AS balance_by_block
    WINDOW latest_first AS (PARTITION BY holder_id ORDER BY block_number DESC)) AS aged`;

const PAST = `WHERE age BETWEEN 2 AND ${MAX_PAST_BALANCES + 1}`;

/** SQL of the rows of `erc20_holders`, computed from balances with their holders. */
export const erc20HoldersOf = (
  balances: string,
): string => `SELECT token_address, address, max(balance) FILTER (WHERE age = 1), max(balance) FILTER (WHERE place = 1),
    max(block_number) FILTER (WHERE place = 1), min(block_number), max(block_number),
    array_agg(block_number::bigint ORDER BY block_number) FILTER (${PAST}),
    array_agg(balance ORDER BY block_number) FILTER (${PAST}),
    max(end_block_number) FILTER (WHERE place = 1), max(balance) FILTER (WHERE place = 2), holder_id
  FROM (${numbered(balances)}) AS numbered GROUP BY token_address, address, holder_id`;

/** Holders and supplies of tokens after each block that changes one of them, from balances by block. */
const suppliesOf = (balances: string, token = "token_address"): string => `SELECT ${token}, block_number,
    sum(holders) OVER earlier AS holder_count, sum(supply) OVER earlier AS total_supply
  FROM (
    SELECT ${token}, block_number, sum((balance > 0)::int - (before > 0)::int) AS holders,
      sum(balance - before) AS supply
    FROM (
      SELECT *, lag(balance, 1, 0::numeric) OVER (PARTITION BY ${token}, address ORDER BY block_number) AS before
      FROM (${balances}) AS balance_by_block) AS step
    GROUP BY ${token}, block_number) AS change
  WHERE holders <> 0 OR supply <> 0
  WINDOW earlier AS (PARTITION BY ${token} ORDER BY block_number)`;

interface Derivation {
  readonly columns: string;
  /** SQL of the expected rows of chain $1, computed from the rows of other tables. */
  readonly rows: string;
  /** Column that identifies a row. Other tables refer to it, so rows are updated or deleted, and never inserted. */
  readonly key?: string;
}

const COUNTS = "token_address, transfer_count, holder_count";

/** Number of transfers, and number of addresses whose last balance is above 0, of each token that was transferred. */
const countsOf = (
  among: AmongTokens,
  balances: string,
  ...transfers: readonly string[]
): string => `SELECT token_address, transfers, coalesce(holders, 0)
  FROM (
    SELECT token_address, count(*) AS transfers
    FROM (${transfers.map((table) => `SELECT token_address FROM ${table} WHERE chain_id = $1 AND ${among("token_address")}`).join(" UNION ALL ")}) AS transfer
    GROUP BY token_address) AS transferred
  LEFT JOIN (
    SELECT token_address, count(*) FILTER (WHERE balance > 0) AS holders
    FROM (
      SELECT DISTINCT ON (token_address, address) token_address, balance FROM (${balances}) AS balance_by_block
      ORDER BY token_address, address, block_number DESC) AS latest
    GROUP BY token_address) AS held USING (token_address)`;

/** The rows of the tables of holders, supplies and counters, computed from the balances and transfers that are stored. */
const derivations = (among: AmongTokens): Readonly<Record<HoldingTable, Derivation>> => ({
  erc20_holders: {
    columns:
      "token_address, address, balance, max_balance, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance, holder_id",
    rows: erc20HoldersOf(erc20Balances(among)),
    key: "holder_id",
  },
  erc20_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(erc20Balances(among)),
  },
  erc20_counts: { columns: COUNTS, rows: countsOf(among, erc20Balances(among), "erc20_transfers") },
  nft_holdings: {
    columns: "address, token_address, token_id, erc_type, balance",
    rows: `SELECT address, token_address, token_id, erc_type, sum(amount) FROM (${nftChanges(among)}) AS change
      GROUP BY address, token_address, token_id, erc_type HAVING sum(amount) <> 0`,
  },
  nft_item_balances: {
    columns: "address, token_address, token_id, erc_type, block_number, balance",
    rows: itemBalances(among),
  },
  nft_collection_balances: { columns: "token_address, address, block_number, balance", rows: nftBalances(among) },
  nft_holders: {
    columns: "token_address, address, balance",
    rows: `SELECT token_address, address, sum(amount) FROM (${nftChanges(among)}) AS change
      GROUP BY address, token_address HAVING sum(amount) <> 0`,
  },
  nft_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(nftBalances(among)),
  },
  erc1155_supplies: {
    columns: "token_address, token_id, block_number, holder_count, total_supply",
    rows: suppliesOf(
      `SELECT * FROM (${itemBalances(among)}) AS item WHERE erc_type = 'ERC-1155'`,
      "token_address, token_id",
    ),
  },
  nft_counts: { columns: COUNTS, rows: countsOf(among, nftBalances(among), "erc721_transfers", "erc1155_transfers") },
});

export const DERIVATIONS = derivations(ALL_TOKENS);
const DERIVATIONS_OF_SOME = derivations(SOME_TOKENS);

const BASES: ReadonlySet<string> = new Set([
  "erc20_balances",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
]);

/** Whether the rows are right, or repaired, from which holders, supplies and counters are computed. */
export const canCompareHoldings = (gaps: readonly Gap[]): boolean =>
  gaps.every(({ table, isRepaired }) => isRepaired || !BASES.has(table));

/**
 * Compares the tables of holders, supplies and counters with the balances and transfers that are stored, which must be right. With
 * `repair`, replaces all rows of a table that differs.
 */
export async function compareHoldings(session: Session, chainId: string, repair: boolean): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const [table, derivation] of Object.entries(DERIVATIONS) as [HoldingTable, Derivation][]) {
    const { isDifferent, ...counts } = await countsOfRows(session, compared(table, derivation, ALL_TOKENS), [chainId]);
    if (!isDifferent) continue;
    if (repair) await replaceRows(session, chainId, table, derivation);
    gaps.push({ ...counts, table, blockNumber: null, isRepaired: repair });
  }
  return gaps;
}

/** The number of compared rows, and the gaps, which have examples. */
export interface ComparedHoldings {
  readonly compared: number;
  readonly gaps: readonly Gap[];
}

/**
 * Compares the rows of some tokens (addresses as hex without `0x`) in the tables of holders, supplies and counters with the balances and
 * transfers that are stored. Reads all rows of these tokens. One statement for each table, and another one for each that differs.
 */
export async function compareHoldingsOf(
  session: Pick<Session, "query">,
  chainId: string,
  tokens: readonly string[],
): Promise<ComparedHoldings> {
  const parameters = [chainId, tokens.map(pgBytes)];
  const gaps: Gap[] = [];
  let total = 0;
  for (const [table, derivation] of Object.entries(DERIVATIONS_OF_SOME) as [HoldingTable, Derivation][]) {
    const rows = compared(table, derivation, SOME_TOKENS);
    const { isDifferent, ...counts } = await countsOfRows(session, rows, parameters);
    total += counts.expected;
    if (!isDifferent) continue;
    const example = await exampleOf(session, rows, parameters);
    gaps.push({ ...counts, table, blockNumber: null, isRepaired: false, example });
  }
  return { compared: total, gaps };
}

/** SQL of a WITH clause with the rows that are expected and those that are found. */
const compared = (table: string, { columns, rows }: Derivation, among: AmongTokens): string =>
  `WITH expected (${columns}) AS MATERIALIZED (${rows}),
     found AS MATERIALIZED (SELECT ${columns} FROM ${table} WHERE chain_id = $1 AND ${among("token_address")})`;

interface RowCounts extends Pick<Gap, "expected" | "found" | "wrong"> {
  readonly isDifferent: boolean;
}

async function countsOfRows(
  session: Pick<Session, "query">,
  rows: string,
  parameters: readonly unknown[],
): Promise<RowCounts> {
  const [counts] = await session.query<Record<"expected" | "found" | "wrong" | "missing", string>>(
    `${rows} SELECT (SELECT count(*) FROM expected) AS expected, (SELECT count(*) FROM found) AS found,
       (SELECT count(*) FROM (SELECT * FROM found EXCEPT SELECT * FROM expected) AS surplus) AS wrong,
       (SELECT count(*) FROM (SELECT * FROM expected EXCEPT SELECT * FROM found) AS lost) AS missing`,
    parameters,
  );
  const numberOf = (name: "expected" | "found" | "wrong" | "missing") => Number(counts?.[name] ?? 0);
  return {
    expected: numberOf("expected"),
    found: numberOf("found"),
    wrong: numberOf("wrong"),
    isDifferent: numberOf("wrong") + numberOf("missing") > 0,
  };
}

/** The first of the wrong rows and the first of the missing ones, which need not have the same key. */
async function exampleOf(
  session: Pick<Session, "query">,
  rows: string,
  parameters: readonly unknown[],
): Promise<Example> {
  const [row] = await session.query<{ token: string | null; indexed: string | null; expected: string | null }>(
    `${rows}, wrong AS (SELECT * FROM found EXCEPT SELECT * FROM expected),
       missing AS (SELECT * FROM expected EXCEPT SELECT * FROM found),
       token AS (SELECT token_address FROM wrong UNION ALL SELECT token_address FROM missing LIMIT 1)
     SELECT encode(token_address, 'hex') AS token,
       (SELECT wrong::text FROM wrong WHERE wrong.token_address = token.token_address ORDER BY 1 LIMIT 1) AS indexed,
       (SELECT missing::text FROM missing WHERE missing.token_address = token.token_address ORDER BY 1 LIMIT 1) AS expected
     FROM token`,
    parameters,
  );
  return {
    key: `token_address=0x${row?.token}`,
    indexed: row?.indexed?.slice(0, MAX_EXAMPLE_CHARACTERS) ?? NO_ROW,
    expected: row?.expected?.slice(0, MAX_EXAMPLE_CHARACTERS) ?? NO_ROW,
  };
}

async function replaceRows(
  session: Session,
  chainId: string,
  table: string,
  { columns, rows, key }: Derivation,
): Promise<void> {
  if (key !== undefined) {
    await session.query(
      `DELETE FROM ${table} AS t WHERE t.chain_id = $1
         AND NOT EXISTS (SELECT FROM (${rows}) AS expected (${columns}) WHERE expected.${key} = t.${key})`,
      [chainId],
    );
    await session.query(
      `UPDATE ${table} AS t SET (${columns}) = ROW(expected.*) FROM (${rows}) AS expected (${columns})
       WHERE t.chain_id = $1 AND t.${key} = expected.${key}`,
      [chainId],
    );
    return;
  }
  await session.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
  await session.query(`INSERT INTO ${table} (chain_id, ${columns}) SELECT $1, expected.* FROM (${rows}) AS expected`, [
    chainId,
  ]);
}
