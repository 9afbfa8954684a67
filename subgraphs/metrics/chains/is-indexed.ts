/**
 * Condition on a row `h` of `chain_heads`: the chain's activity and the holders of its tokens are indexed. False if no block after the
 * genesis block is indexed.
 */
export const IS_INDEXED = "h.block_number > 0";

/**
 * SQL that joins to a key `k` the head `h` of an indexed chain, and the block `m` after which the key asks: that of `k.block_number`, or the
 * last indexed one. OFFSET 0 keeps the planner from computing the block for each row.
 */
export const JOIN_MOMENT = `JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    CROSS JOIN LATERAL (SELECT coalesce(k.block_number, h.block_number) AS block_number,
      CASE WHEN k.block_number IS NULL THEN h.block_hash
        ELSE (SELECT b.block_hash FROM evm_blocks b WHERE b.chain_id = $1 AND b.block_number = k.block_number) END
      AS block_hash OFFSET 0) m`;
