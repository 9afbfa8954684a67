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

/** The number of tokens that an address holds after each block that changed it, counted by some columns. */
const nftBalancesBy = (columns: string): string => `SELECT ${columns}, block_number,
    sum(sum(amount)) OVER (PARTITION BY ${columns} ORDER BY block_number) AS balance
  FROM (${NFT_CHANGES}) AS change GROUP BY ${columns}, block_number HAVING sum(amount) <> 0`;

const NFT_BALANCES = nftBalancesBy("token_address, address");
const ITEM_BALANCES = nftBalancesBy("address, token_address, token_id, erc_type");

/** The balances with the token and the address of their holders. */
const ERC20_BALANCES = `SELECT h.token_address, h.address, b.holder_id, b.block_number, b.balance
  FROM erc20_balances b JOIN erc20_holders h ON h.chain_id = $1 AND h.holder_id = b.holder_id WHERE b.chain_id = $1`;

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
  balances: string,
  ...transfers: readonly string[]
): string => `SELECT token_address, transfers, coalesce(holders, 0)
  FROM (
    SELECT token_address, count(*) AS transfers
    FROM (${transfers.map((table) => `SELECT token_address FROM ${table} WHERE chain_id = $1`).join(" UNION ALL ")}) AS transfer
    GROUP BY token_address) AS transferred
  LEFT JOIN (
    SELECT token_address, count(*) FILTER (WHERE balance > 0) AS holders
    FROM (
      SELECT DISTINCT ON (token_address, address) token_address, balance FROM (${balances}) AS balance_by_block
      ORDER BY token_address, address, block_number DESC) AS latest
    GROUP BY token_address) AS held USING (token_address)`;

/** The rows of the tables of holders, supplies and counters, computed from the balances and transfers that are stored. */
export const DERIVATIONS: Readonly<Record<HoldingTable, Derivation>> = {
  erc20_holders: {
    columns:
      "token_address, address, balance, max_balance, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance, holder_id",
    rows: erc20HoldersOf(ERC20_BALANCES),
    key: "holder_id",
  },
  erc20_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(ERC20_BALANCES),
  },
  erc20_counts: { columns: COUNTS, rows: countsOf(ERC20_BALANCES, "erc20_transfers") },
  nft_holdings: {
    columns: "address, token_address, token_id, erc_type, balance",
    rows: `SELECT address, token_address, token_id, erc_type, sum(amount) FROM (${NFT_CHANGES}) AS change
      GROUP BY address, token_address, token_id, erc_type HAVING sum(amount) <> 0`,
  },
  nft_item_balances: {
    columns: "address, token_address, token_id, erc_type, block_number, balance",
    rows: ITEM_BALANCES,
  },
  nft_collection_balances: { columns: "token_address, address, block_number, balance", rows: NFT_BALANCES },
  nft_holders: {
    columns: "token_address, address, balance",
    rows: `SELECT token_address, address, sum(amount) FROM (${NFT_CHANGES}) AS change
      GROUP BY address, token_address HAVING sum(amount) <> 0`,
  },
  nft_supplies: {
    columns: "token_address, block_number, holder_count, total_supply",
    rows: suppliesOf(NFT_BALANCES),
  },
  erc1155_supplies: {
    columns: "token_address, token_id, block_number, holder_count, total_supply",
    rows: suppliesOf(`SELECT * FROM (${ITEM_BALANCES}) AS item WHERE erc_type = 'ERC-1155'`, "token_address, token_id"),
  },
  nft_counts: { columns: COUNTS, rows: countsOf(NFT_BALANCES, "erc721_transfers", "erc1155_transfers") },
};

/**
 * Compares the tables of holders, supplies and counters with the balances and transfers that are stored, which must be right. With
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
