import { IS_INDEXED } from "../chains/is-indexed.ts";
import { ABOVE_EVERY_ADDRESS } from "../holders/keys.ts";

const HISTORY = (holder: string): string =>
  `erc20_balances b WHERE b.chain_id = $1 AND b.holder_id = ${holder}.holder_id`;

/** Number of the past balances of `c` that are from a block up to this one. */
const pastUpTo = (c: string, block: string): string => `width_bucket(${block}, ${c}.past_blocks)`;

/**
 * True if `c`, an address with its balances, entered the frame with more than the threshold, or had more after a block of it. The
 * highest balance of `c` must be above the threshold. The row of the address decides, unless all of these are true: the address had its
 * highest balance only before or after the frame, another balance is above the threshold too, the balance changed before the first past
 * balance that the row has, and the frame began before that balance. Then one read of an index decides: backward from the end of the
 * frame, to the first balance that is above the threshold, or with which the address entered the frame.
 */
const wasAbove = (c: string): string => `CASE
      WHEN ${c}.peak_block <= f.last_block AND (${c}.peak_end IS NULL OR ${c}.peak_end >= f.first_block) THEN true
      WHEN ${c}.second_peak IS NULL OR ${c}.second_peak <= k.threshold THEN false
      WHEN ${c}.last_block <= f.last_block AND ${c}.balance > k.threshold THEN true
      WHEN ${c}.last_block < f.first_block OR ${c}.first_block > f.last_block THEN false
      WHEN k.threshold < ANY (${c}.past_balances[
        greatest(${pastUpTo(c, "f.first_block - 1")}, 1):${pastUpTo(c, "f.last_block")}]) THEN true
      WHEN ${c}.past_blocks[1] < f.first_block OR ${c}.past_blocks[1] = ${c}.first_block THEN false
      ELSE coalesce((SELECT b.balance > k.threshold FROM ${HISTORY(c)} AND b.block_number <= f.last_block
          AND (b.balance > k.threshold OR b.block_number < f.first_block)
        ORDER BY b.block_number DESC LIMIT 1), false) END`;

/**
 * The blocks of the time frame, up to the pinned block: later blocks have later times. OFFSET 0 keeps the planner from computing the blocks for
 * each row of the page.
 */
const FRAME = `SELECT coalesce(k.pinned_block, h.block_number) AS pinned_block,
    CASE WHEN k.from_time = 0 THEN 0 ELSE least(coalesce(k.pinned_block, h.block_number) + 1,
      (SELECT b.block_number FROM evm_blocks b WHERE b.chain_id = $1 AND b.block_timestamp >= k.from_time
        ORDER BY b.block_timestamp, b.block_number LIMIT 1)) END AS first_block,
    least(coalesce(k.pinned_block, h.block_number), coalesce(
      (SELECT b.block_number FROM evm_blocks b WHERE b.chain_id = $1 AND b.block_timestamp < k.to_time
        ORDER BY b.block_timestamp DESC, b.block_number DESC LIMIT 1), -1)) AS last_block OFFSET 0`;

/**
 * The place that a page follows: the address of the page before, and its highest balance up to the pinned block, which later blocks do not
 * change. A first page begins after all addresses whose highest balance is the threshold.
 */
const PLACE = `SELECT coalesce(past.peak, k.threshold) AS peak_after, coalesce(past.address, '${ABOVE_EVERY_ADDRESS}') AS address_after,
    k.holder_after IS NOT NULL AND past.peak IS NULL AS is_lost
  FROM (SELECT) one LEFT JOIN LATERAL (SELECT a.address, CASE WHEN a.max_block_number <= f.pinned_block THEN a.max_balance
      ELSE (SELECT max(b.balance) FROM ${HISTORY("a")} AND b.block_number <= f.pinned_block) END AS peak
    FROM erc20_holders a
    WHERE a.chain_id = $1 AND a.holder_id = k.holder_after AND a.token_address = k.token_address) past ON true OFFSET 0`;

/** Columns of `erc20_holders h` that `wasAbove` needs, besides the address. */
const COLUMNS = `h.balance, h.holder_id, h.max_block_number AS peak_block, h.max_end_block_number AS peak_end, h.second_balance AS second_peak,
      h.first_block_number AS first_block, h.last_block_number AS last_block, h.past_block_numbers AS past_blocks, h.past_balances`;

/**
 * The next addresses whose highest balance has not changed since the first page, in the order of an index that has all their columns: PostgreSQL
 * reads only this index and never sorts.
 */
const CANDIDATES = `SELECT h.address, h.max_balance AS peak, ${COLUMNS}
    FROM erc20_holders h
    WHERE h.chain_id = $1 AND h.token_address = k.token_address
      AND (h.max_balance, h.address) > (p.peak_after, p.address_after) AND h.max_block_number <= f.pinned_block
    ORDER BY h.max_balance, h.address`;

/** The candidates that belong to the list. */
const unchanged = (maxCandidates: number): string => `SELECT c.address, c.holder_id, c.peak, c.balance
    FROM (${CANDIDATES} LIMIT ${maxCandidates}) c
    WHERE ${wasAbove("c")}
    ORDER BY c.peak, c.address LIMIT k.size`;

/** The candidate at which a page ends, if `maxCandidates` candidates do not fill the page. The next page begins after it. */
const lastCandidate = (maxCandidates: number): string => `SELECT c.address, c.holder_id, c.peak
    FROM (${CANDIDATES} LIMIT 1 OFFSET ${maxCandidates - 1}) c WHERE (SELECT count(*) FROM unchanged) < k.size`;

/**
 * Addresses whose highest balance has changed since the first page: they are elsewhere in the index now. They are found among the
 * balances that changed after the pinned block. OFFSET 0 and LIMIT 1 keep the planner from reading the whole history and all holders of the
 * token.
 */
const CHANGED = `SELECT c.address, c.holder_id, past.peak, c.balance
    FROM (SELECT DISTINCT b.holder_id FROM erc20_balances b
        WHERE b.chain_id = $1 AND b.block_number BETWEEN f.pinned_block + 1 AND h.block_number OFFSET 0) recent
    CROSS JOIN LATERAL (SELECT h.address, ${COLUMNS}
      FROM erc20_holders h
      WHERE h.chain_id = $1 AND h.holder_id = recent.holder_id AND h.token_address = k.token_address LIMIT 1) c
    CROSS JOIN LATERAL (SELECT max(b.balance) AS peak FROM ${HISTORY("c")} AND b.block_number <= f.pinned_block) past
    WHERE c.peak_block > f.pinned_block AND (past.peak, c.address) > (p.peak_after, p.address_after) AND ${wasAbove("c")}
    ORDER BY past.peak, c.address LIMIT k.size`;

/** A page considers at most `maxCandidates` unchanged addresses, so it may have fewer holders than requested although others follow. */
export const holdersAboveStatement = (
  maxCandidates: number,
): string => `SELECT k.request, h.block_number AS head, h.block_hash AS "blockHash", f.pinned_block AS "pinnedBlock",
    p.is_lost AS "isLost", p.address_after AS "addressAfter",
    page.address, page.holder_id AS "holderId", page.balance, page."lastHolderId", page."lastAddress"
  FROM unnest($2::bytea[], $3::numeric[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::int[]) WITH ORDINALITY
    AS k(token_address, threshold, from_time, to_time, pinned_block, holder_after, size, request)
  JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED},
  LATERAL (${FRAME}) f,
  LATERAL (${PLACE}) p,
  LATERAL (
    WITH unchanged AS MATERIALIZED (${unchanged(maxCandidates)}),
      last_candidate AS MATERIALIZED (${lastCandidate(maxCandidates)})
    SELECT found.address, found.holder_id, found.peak, found.balance, l.holder_id AS "lastHolderId", l.address AS "lastAddress"
    FROM (SELECT) one
      LEFT JOIN last_candidate l ON true
      LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT address, holder_id, peak, balance FROM unchanged
          UNION ALL
          SELECT address, holder_id, peak, balance FROM (${CHANGED}) c WHERE l.peak IS NULL OR (c.peak, c.address) <= (l.peak, l.address)
        ) both_kinds ORDER BY peak, address LIMIT k.size) found ON true) page
  ORDER BY k.request, page.peak, page.address`;
