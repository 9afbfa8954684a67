-- The balances of a holder before the current one, in the index of the highest balances. Most pages of holders above a threshold
-- and of holders after a block then need no read of the history.

-- AlterTable
ALTER TABLE "erc20_holders" ADD COLUMN "past_block_numbers" BIGINT[],
    ADD COLUMN "past_balances" DECIMAL(96,0)[];

-- DropIndex
DROP INDEX "erc20_holders_max_balance_idx";

-- Fill the rows of holders whose balance has changed more than once.
UPDATE "erc20_holders" AS h SET "past_block_numbers" = p.block_numbers, "past_balances" = p.balances
FROM (
    SELECT chain_id, token_address, address, array_agg(block_number ORDER BY block_number) AS block_numbers,
        array_agg(balance ORDER BY block_number) AS balances
    FROM (
        SELECT *, row_number() OVER (PARTITION BY chain_id, token_address, address ORDER BY block_number DESC) AS age
        FROM "erc20_balances") AS aged
    WHERE age BETWEEN 2 AND 8
    GROUP BY chain_id, token_address, address) AS p
WHERE h.chain_id = p.chain_id AND h.token_address = p.token_address AND h.address = p.address;

-- CreateIndex
CREATE INDEX "erc20_holders_max_balance_idx" ON "erc20_holders"("chain_id", "token_address", "max_balance", "address") INCLUDE ("balance", "max_block_number", "first_block_number", "last_block_number", "past_block_numbers", "past_balances");
