/** Columns of `erc20_holders t` that `balanceAt` needs, besides the address. */
export const BALANCE_COLUMNS = "t.balance, t.first_block_number AS first_block, t.last_block_number AS last_block";

/** The balance of holder `c` after a block. Reads the history only if the balance changed before and after the block. */
export const balanceAt = (block: string): string => `CASE WHEN c.last_block <= ${block} THEN c.balance
        WHEN c.first_block > ${block} THEN 0
        ELSE (SELECT b.balance FROM erc20_balances b
          WHERE b.chain_id = k.chain_id AND b.token_address = k.token_address AND b.address = c.address
            AND b.block_number <= ${block} ORDER BY b.block_number DESC LIMIT 1) END`;
