/**
 * Condition on a row `h` of `chain_heads`: the chain's activity and the holders of its tokens are indexed. False if no block after the
 * genesis block is indexed.
 */
export const IS_INDEXED = "h.block_number > 0";
