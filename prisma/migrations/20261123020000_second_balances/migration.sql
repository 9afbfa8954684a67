-- How long each holder had its highest balance, and the second highest one, in the index of the highest balances. They decide for most
-- addresses whether a balance was above a threshold in a time frame.

-- AlterTable
ALTER TABLE "erc20_holders" ADD COLUMN "max_end_block_number" BIGINT,
    ADD COLUMN "second_balance" DECIMAL(96,0);

-- DropIndex
DROP INDEX "erc20_holders_max_balance_idx";

-- Fill the rows of holders whose balance has changed more than once.
UPDATE "erc20_holders" AS h SET "max_end_block_number" = b.next_block_number, "second_balance" = b.second_balance
FROM (
    SELECT *, lead(balance) OVER (PARTITION BY chain_id, token_address, address ORDER BY balance DESC, block_number) AS second_balance
    FROM (
        SELECT *, lead(block_number) OVER (PARTITION BY chain_id, token_address, address ORDER BY block_number) AS next_block_number
        FROM "erc20_balances") AS followed) AS b
WHERE h.chain_id = b.chain_id AND h.token_address = b.token_address AND h.address = b.address
    AND h.max_block_number = b.block_number AND h.first_block_number < h.last_block_number;

-- CreateIndex
CREATE INDEX "erc20_holders_max_balance_idx" ON "erc20_holders"("chain_id", "token_address", "max_balance", "address") INCLUDE ("balance", "max_block_number", "first_block_number", "last_block_number", "past_block_numbers", "past_balances", "max_end_block_number", "second_balance");
