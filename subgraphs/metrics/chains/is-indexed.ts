/**
 * Condition on a row `h` of `chain_heads`: the chain's activity and the holders of its tokens are indexed. False if no block after
 * the genesis block is indexed, or if an earlier version has indexed the chain and the replay has not begun.
 */
export const IS_INDEXED = `h.block_number > 0
    AND EXISTS (SELECT FROM evm_activity e WHERE e.chain_id = h.chain_id AND e.interval = 'MONTH')`;
