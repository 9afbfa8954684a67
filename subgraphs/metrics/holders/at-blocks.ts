import { IS_INDEXED } from "../chains/is-indexed.ts";
import { BALANCE_COLUMNS, PAST_COLUMNS, recentBalanceAt } from "./balance-at.ts";
import { ABOVE_EVERY_ADDRESS, ABOVE_EVERY_BALANCE, KEYS } from "./keys.ts";

/**
 * Maximum number of addresses that a step considers. It limits the sort of the step. Each step considers a few more than the one before,
 * so that a page reads at most about a quarter more than it needs.
 */
const MAX_BATCH = 2_000;

/**
 * The next addresses by highest balance, highest first, with their balances after the block. No balance is above the address's
 * highest balance. So addresses whose highest balance is below the last balance of a full page are not read.
 */
const CANDIDATES = `SELECT c.peak, c.address, ${recentBalanceAt("k.block_number")} AS balance
    FROM (SELECT * FROM (SELECT t.max_balance AS peak, t.address, ${BALANCE_COLUMNS}, ${PAST_COLUMNS}
        FROM erc20_holders t
        WHERE t.chain_id = $1 AND t.token_address = k.token_address
          AND (t.max_balance, t.address) < (w.peak_before, w.address_before)
          AND (t.max_balance, t.address) > (coalesce(w.balances[k.size], 0), coalesce(w.addresses[k.size], '${ABOVE_EVERY_ADDRESS}'))
        ORDER BY t.max_balance DESC, t.address DESC LIMIT ${MAX_BATCH}) ordered LIMIT w.batch) c`;

/** The page among the candidates of this step and of all steps before. */
const BEST = `SELECT balance, address
    FROM (SELECT balance, address FROM unnest(w.balances, w.addresses) AS earlier(balance, address)
      UNION ALL
      SELECT balance, address FROM candidates WHERE balance > 0 AND (balance, address) < (k.balance, k.address)
    ) found ORDER BY balance DESC, address DESC LIMIT k.size`;

/**
 * A step considers some addresses. The page is complete if there are no others, or if its last balance is not below the highest
 * balance of the last address that was considered.
 */
const STEP = `WITH candidates AS MATERIALIZED (${CANDIDATES}), best AS MATERIALIZED (${BEST})
    SELECT last.peak, last.address,
      (SELECT count(*) FROM candidates) < least(w.batch, ${MAX_BATCH}) OR EXISTS (SELECT FROM best OFFSET k.size - 1)
        AND (SELECT (balance, address) >= (last.peak, last.address) FROM best ORDER BY balance, address LIMIT 1),
      ARRAY(SELECT balance FROM best ORDER BY balance DESC, address DESC),
      ARRAY(SELECT address FROM best ORDER BY balance DESC, address DESC)
    FROM (SELECT) one LEFT JOIN (SELECT peak, address FROM candidates ORDER BY peak, address LIMIT 1) last ON true`;

/** The pages of keys after blocks. `page` is the SELECT of the page of `k`, whose order is `order`. */
const pagesAtBlocks = (
  page: string,
  order: string,
): string => `SELECT k.request, h.block_number AS head, b.block_hash AS "blockHash", page.*
  FROM ${KEYS}
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN evm_blocks b ON b.chain_id = $1 AND b.block_number = k.block_number
    LEFT JOIN LATERAL (
      ${page}
    ) page ON k.block_number <= h.block_number
  ORDER BY k.request, ${order}`;

/**
 * Holders after blocks that are before a holder, nearest first. No balance is above the address's highest balance. So all addresses are considered
 * whose highest balance is above the balance of that holder; it is not known before which of them are nearest. If there are more than
 * `maxCandidates`, the page has one row, in which `isCut` is true.
 */
export const beforeAtBlocksStatement = (maxCandidates: number): string =>
  pagesAtBlocks(
    `WITH candidates AS MATERIALIZED (
        SELECT c.address, ${recentBalanceAt("k.block_number")} AS balance
        FROM (SELECT t.address, ${BALANCE_COLUMNS}, ${PAST_COLUMNS} FROM erc20_holders t
          WHERE t.chain_id = $1 AND t.token_address = k.token_address AND (t.max_balance, t.address) > (k.balance, k.address)
          ORDER BY t.max_balance, t.address LIMIT ${maxCandidates + 1}) c)
      SELECT item.address, item.balance, done."isCut"
      FROM (SELECT count(*) > ${maxCandidates} AS "isCut" FROM candidates) done
        LEFT JOIN LATERAL (SELECT address, balance FROM candidates
          WHERE NOT done."isCut" AND balance > 0 AND (balance, address) > (k.balance, k.address)
          ORDER BY balance, address LIMIT k.size) item ON true`,
    "page.balance, page.address",
  );

/**
 * Holders after blocks. Each page starts again with the highest balances of the token. If it is not complete after `maxCandidates`
 * addresses, the page has one row, in which `isCut` is true.
 */
export const atBlocksStatement = (maxCandidates: number): string =>
  pagesAtBlocks(
    `WITH RECURSIVE walk(batch, remaining, peak_before, address_before, is_complete, balances, addresses) AS (
        SELECT least(2 * k.size, ${maxCandidates}), ${maxCandidates}, ${ABOVE_EVERY_BALANCE}::numeric,
          '${ABOVE_EVERY_ADDRESS}'::bytea, false, '{}'::numeric[], '{}'::bytea[]
        UNION ALL
        SELECT least(w.batch * 5 / 4 + 10, ${MAX_BATCH}, w.remaining - least(w.batch, ${MAX_BATCH})),
          w.remaining - least(w.batch, ${MAX_BATCH}), step.*
        FROM walk w, LATERAL (${STEP}) step(peak_before, address_before, is_complete, balances, addresses)
        WHERE NOT w.is_complete AND w.remaining > 0)
      SELECT item.address, item.balance, NOT done.is_complete AS "isCut"
      FROM (SELECT is_complete, balances, addresses FROM walk WHERE is_complete OR remaining = 0) done
        LEFT JOIN LATERAL unnest(done.addresses, done.balances) AS item(address, balance) ON done.is_complete`,
    "page.balance DESC, page.address DESC",
  );
