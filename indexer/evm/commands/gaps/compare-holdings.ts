import type { Session } from "../../../shared/writer.ts";
import { MAX_PAST_BALANCES } from "../../store/holdings/holder-changes.ts";
import type { HoldingTable } from "../../store/tables.ts";
import type { Gap } from "./gap.ts";

/** Changes of the number of tokens of an NFT that an address holds. */
const NFT_CHANGES = `SELECT address, token_address, token_id, erc_type, block_number, amount FROM (
    SELECT to_address AS address, token_address, token_id, 'ERC-721' AS erc_type, block_number, 1 AS amount
    FROM erc721_transfers WHERE chain_id = $1
    UNION ALL
    SELECT from_address, token_address, token_id, 'ERC-721', block_number, -1
    FROM erc721_transfers WHERE chain_id = $1
    UNION ALL
    SELECT to_address, token_address, token_id, 'ERC-1155', block_number, value
    FROM erc1155_transfers WHERE chain_id = $1
    UNION ALL
    SELECT from_address, token_address, token_id, 'ERC-1155', block_number, -value
    FROM erc1155_transfers WHERE chain_id = $1) AS side
  WHERE address <> decode(repeat('00', 20), 'hex')`;

/** The number of tokens of a collection that an address holds after each block that changed it. */
const NFT_BALANCES = `SELECT token_address, address, block_number,
    sum(sum(amount)) OVER (PARTITION BY token_address, address ORDER BY block_number) AS balance
  FROM (${NFT_CHANGES}) AS change GROUP BY token_address, address, block_number`;

const ERC20_BALANCES = "SELECT token_address, address, block_number, balance FROM erc20_balances WHERE chain_id = $1";

/**
 * Balances of each holder, numbered from the last one (`age`) and from the highest one (`place`), with the next block that changed the
 * balance.
 */
const NUMBERED = `SELECT *, row_number() OVER (PARTITION BY token_address, address ORDER BY balance DESC, block_number) AS place
  FROM (
    SELECT *, row_number() OVER latest_first AS age, lag(block_number) OVER latest_first AS end_block_number
    FROM erc20_balances WHERE chain_id = $1
    WINDOW latest_first AS (PARTITION BY token_address, address ORDER BY block_number DESC)) AS aged`;

const ERC20_HOLDERS = `SELECT token_address, address, max(balance) FILTER (WHERE age = 1), max(balance) FILTER (WHERE place = 1),
    max(block_number) FILTER (WHERE place = 1), min(block_number), max(block_number),
    array_agg(block_number ORDER BY block_number) FILTER (WHERE age BETWEEN 2 AND ${MAX_PAST_BALANCES + 1}),
    array_agg(balance ORDER BY block_number) FILTER (WHERE age BETWEEN 2 AND ${MAX_PAST_BALANCES + 1}),
    max(end_block_number) FILTER (WHERE place = 1), max(balance) FILTER (WHERE place = 2)
  FROM (${NUMBERED}) AS numbered GROUP BY token_address, address`;

/** Holders and supplies after each block that changes one of them, from balances by block. */
const suppliesOf = (balances: string): string => `SELECT token_address, block_number,
    sum(holders) OVER earlier AS holder_count, sum(supply) OVER earlier AS total_supply
  FROM (
    SELECT token_address, block_number, sum((balance > 0)::int - (before > 0)::int) AS holders,
      sum(balance - before) AS supply
    FROM (
      SELECT *, lag(balance, 1, 0::numeric) OVER (PARTITION BY token_address, address ORDER BY block_number) AS before
      FROM (${balances}) AS balance_by_block) AS step
    GROUP BY token_address, block_number) AS change
  WHERE holders <> 0 OR supply <> 0
  WINDOW earlier AS (PARTITION BY token_address ORDER BY block_number)`;

interface Derivation {
  readonly columns: string;
  /** SQL of the expected rows of chain $1, computed from the rows of other tables. */
  readonly rows: string;
}

/** The rows of the tables of holders and supplies, computed from the balances and transfers that are stored. */
export const DERIVATIONS: Readonly<Record<HoldingTable, Derivation>> = {
  erc20_holders: {
    columns:
      "token_address, address, balance, max_balance, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance",
    rows: ERC20_HOLDERS,
  },
  erc20_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(ERC20_BALANCES),
  },
  nft_holdings: {
    columns: "address, token_address, token_id, erc_type, balance",
    rows: `SELECT address, token_address, token_id, erc_type, sum(amount) FROM (${NFT_CHANGES}) AS change
      GROUP BY address, token_address, token_id, erc_type HAVING sum(amount) <> 0`,
  },
  nft_holders: {
    columns: "token_address, address, balance",
    rows: `SELECT token_address, address, sum(amount) FROM (${NFT_CHANGES}) AS change
      GROUP BY address, token_address HAVING sum(amount) <> 0`,
  },
  nft_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(NFT_BALANCES),
  },
};

/**
 * Compares the tables of holders and supplies with the balances and transfers that are stored, which must be right. With
 * `repair`, replaces all rows of a table that differs.
 */
export async function compareHoldings(session: Session, chainId: string, repair: boolean): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const [table, derivation] of Object.entries(DERIVATIONS) as [HoldingTable, Derivation][]) {
    const difference = await differenceOf(session, chainId, table, derivation);
    if (!difference) continue;
    if (repair) await replaceRows(session, chainId, table, derivation);
    gaps.push({ ...difference, table, blockNumber: null, isRepaired: repair });
  }
  return gaps;
}

async function differenceOf(
  session: Session,
  chainId: string,
  table: string,
  { columns, rows }: Derivation,
): Promise<Pick<Gap, "expected" | "found" | "wrong"> | null> {
  const [counts] = await session.query<Record<"expected" | "found" | "wrong" | "missing", string>>(
    `WITH expected AS MATERIALIZED (${rows}),
       found AS MATERIALIZED (SELECT ${columns} FROM ${table} WHERE chain_id = $1)
     SELECT (SELECT count(*) FROM expected) AS expected, (SELECT count(*) FROM found) AS found,
       (SELECT count(*) FROM (SELECT * FROM found EXCEPT SELECT * FROM expected) AS surplus) AS wrong,
       (SELECT count(*) FROM (SELECT * FROM expected EXCEPT SELECT * FROM found) AS lost) AS missing`,
    [chainId],
  );
  if (!counts || (counts.wrong === "0" && counts.missing === "0")) return null;
  return { expected: Number(counts.expected), found: Number(counts.found), wrong: Number(counts.wrong) };
}

async function replaceRows(
  session: Session,
  chainId: string,
  table: string,
  { columns, rows }: Derivation,
): Promise<void> {
  await session.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
  await session.query(`INSERT INTO ${table} (chain_id, ${columns}) SELECT $1, expected.* FROM (${rows}) AS expected`, [
    chainId,
  ]);
}
