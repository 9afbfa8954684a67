/**
 * Condition on a row `h` of `chain_heads`, of the chain `$1`: the chain's activity and the holders of its tokens are indexed. False if no
 * block after the genesis block is indexed. Also false if the rows are those of an earlier version of Moraine, which did not count
 * activity. The indexer rebuilds these rows when it starts.
 */
export const IS_INDEXED = `h.block_number > 0
    AND EXISTS (SELECT FROM evm_activity e WHERE e.chain_id = $1 AND e.interval = 'MONTH')`;
