import { IS_INDEXED } from "../chains/is-indexed.ts";
import { ABOVE_EVERY_ADDRESS, ABOVE_EVERY_BALANCE, KEYS } from "./keys.ts";

/** Largest number of addresses that are considered at once. It bounds the sort of a step. */
const MAX_BATCH = 2_000;

/** The next addresses by highest balance, highest first, with their balances after the block. */
const CANDIDATES = `SELECT c.peak, c.address, coalesce((SELECT b.balance FROM erc20_balances b
      WHERE b.chain_id = k.chain_id AND b.token_address = k.token_address AND b.address = c.address
        AND b.block_number <= k.block_number ORDER BY b.block_number DESC LIMIT 1), 0) AS balance
    FROM (SELECT * FROM (SELECT p.max_balance AS peak, p.address FROM erc20_peaks p
        WHERE p.chain_id = k.chain_id AND p.token_address = k.token_address
          AND (p.max_balance, p.address) < (w.peak_before, w.address_before)
        ORDER BY p.max_balance DESC, p.address DESC LIMIT ${MAX_BATCH}) ordered LIMIT w.batch) c`;

/** The page among the candidates of this step and of all steps before. */
const BEST = `SELECT balance, address
    FROM (SELECT balance, address FROM unnest(w.balances, w.addresses) AS earlier(balance, address)
      UNION ALL
      SELECT balance, address FROM candidates WHERE balance > 0 AND (balance, address) < (k.balance_before, k.address_before)
    ) found ORDER BY balance DESC, address DESC LIMIT k.size`;

/**
 * A step considers some addresses. No balance is above the address's highest balance, so the page is complete if its last balance
 * is not below the highest balance of the last address that was considered.
 */
const STEP = `WITH candidates AS MATERIALIZED (${CANDIDATES}), best AS MATERIALIZED (${BEST})
    SELECT last.peak, last.address,
      last.address IS NULL OR EXISTS (SELECT FROM best OFFSET k.size - 1)
        AND (SELECT (balance, address) >= (last.peak, last.address) FROM best ORDER BY balance, address LIMIT 1),
      ARRAY(SELECT balance FROM best ORDER BY balance DESC, address DESC),
      ARRAY(SELECT address FROM best ORDER BY balance DESC, address DESC)
    FROM (SELECT) one LEFT JOIN (SELECT peak, address FROM candidates ORDER BY peak, address LIMIT 1) last ON true`;

/** Holders after blocks. Each page starts again with the highest balances of the token. */
export const AT_BLOCKS = `SELECT k.request, h.block_number AS head, b.block_hash AS "blockHash", page.*
  FROM ${KEYS}
    JOIN chain_heads h ON h.chain_id = k.chain_id AND ${IS_INDEXED}
    LEFT JOIN evm_blocks b ON b.chain_id = k.chain_id AND b.block_number = k.block_number
    LEFT JOIN LATERAL (
      WITH RECURSIVE walk(batch, peak_before, address_before, is_complete, balances, addresses) AS (
        SELECT 2 * k.size, ${ABOVE_EVERY_BALANCE}::numeric, '${ABOVE_EVERY_ADDRESS}'::bytea, false, '{}'::numeric[], '{}'::bytea[]
        UNION ALL
        SELECT least(4 * w.batch, ${MAX_BATCH}), step.*
        FROM walk w, LATERAL (${STEP}) step(peak_before, address_before, is_complete, balances, addresses)
        WHERE NOT w.is_complete)
      SELECT item.address, item.balance
      FROM (SELECT balances, addresses FROM walk WHERE is_complete) done, unnest(done.addresses, done.balances) AS item(address, balance)
    ) page ON k.block_number <= h.block_number
  ORDER BY k.request, page.balance DESC, page.address DESC`;
