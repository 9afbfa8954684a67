/** Columns of `erc20_holders t` that `balanceAt` needs, besides the address. */
export const BALANCE_COLUMNS =
  "t.balance, t.holder_id, t.first_block_number AS first_block, t.last_block_number AS last_block";

/** The further columns that `recentBalanceAt` needs. */
export const PAST_COLUMNS = "t.past_block_numbers AS past_blocks, t.past_balances";

const HISTORY = (block: string): string => `(SELECT b.balance FROM erc20_balances b
          WHERE b.chain_id = $1 AND b.holder_id = c.holder_id AND b.block_number <= ${block} ORDER BY b.block_number DESC LIMIT 1)`;

const balanceOr = (block: string, otherwise: string): string => `CASE WHEN c.last_block <= ${block} THEN c.balance
        WHEN c.first_block > ${block} THEN 0
        ${otherwise} END`;

/** The balance of holder `c` after a block. Reads the history only if the balance changed before and after the block. */
export const balanceAt = (block: string): string => balanceOr(block, `ELSE ${HISTORY(block)}`);

/** Like `balanceAt`, but reads the history only if the block is also before the past balances in the row of the holder. */
export const recentBalanceAt = (block: string): string =>
  balanceOr(
    block,
    `WHEN c.past_blocks[1] <= ${block} THEN c.past_balances[width_bucket(${block}, c.past_blocks)]
        ELSE ${HISTORY(block)}`,
  );
