-- The index of the primary key includes the balance: the balance of an address after a block is read from the index alone.

-- AlterTable
ALTER TABLE "erc20_balances" DROP CONSTRAINT "erc20_balances_pkey",
    ADD CONSTRAINT "erc20_balances_pkey" PRIMARY KEY ("chain_id","token_address","address","block_number") INCLUDE ("balance");
