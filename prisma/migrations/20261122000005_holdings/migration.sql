-- Current and highest balances of holders of tokens, and the supplies of tokens by block. Partitioned by chain, as in the
-- first migration.

-- CreateTable
CREATE TABLE "erc20_holders" (
    "chain_id" BIGINT NOT NULL,
    "token_address" BYTEA NOT NULL,
    "address" BYTEA NOT NULL,
    "balance" DECIMAL(96,0) NOT NULL,
    "max_balance" DECIMAL(96,0) NOT NULL,
    "max_block_number" BIGINT NOT NULL,
    "first_block_number" BIGINT NOT NULL,
    "last_block_number" BIGINT NOT NULL,

    CONSTRAINT "erc20_holders_pkey" PRIMARY KEY ("chain_id","token_address","address") INCLUDE ("balance","first_block_number","last_block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc20_supplies" (
    "chain_id" BIGINT NOT NULL,
    "token_address" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "holder_count" BIGINT NOT NULL,
    "total_supply" DECIMAL(96,0) NOT NULL,

    CONSTRAINT "erc20_supplies_pkey" PRIMARY KEY ("chain_id","token_address","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_holdings" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL,
    "erc_type" TEXT NOT NULL,
    "balance" DECIMAL(96,0) NOT NULL,

    CONSTRAINT "nft_holdings_pkey" PRIMARY KEY ("chain_id","address","token_address","token_id","erc_type")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_holders" (
    "chain_id" BIGINT NOT NULL,
    "token_address" BYTEA NOT NULL,
    "address" BYTEA NOT NULL,
    "balance" DECIMAL(96,0) NOT NULL,

    CONSTRAINT "nft_holders_pkey" PRIMARY KEY ("chain_id","token_address","address") INCLUDE ("balance")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_supplies" (
    "chain_id" BIGINT NOT NULL,
    "token_address" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "holder_count" BIGINT NOT NULL,
    "total_supply" DECIMAL(96,0) NOT NULL,

    CONSTRAINT "nft_supplies_pkey" PRIMARY KEY ("chain_id","token_address","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateIndex
CREATE INDEX "erc20_holders_balance_idx" ON "erc20_holders"("chain_id", "token_address", "balance", "address") WHERE (balance > 0);

-- CreateIndex
CREATE INDEX "erc20_holders_max_balance_idx" ON "erc20_holders"("chain_id", "token_address", "max_balance", "address") INCLUDE ("balance", "max_block_number", "first_block_number", "last_block_number");

-- CreateIndex
CREATE INDEX "erc20_holders_address_idx" ON "erc20_holders"("chain_id", "address", "token_address") INCLUDE ("balance") WHERE (balance > 0);

-- CreateIndex
CREATE INDEX "nft_holders_balance_idx" ON "nft_holders"("chain_id", "token_address", "balance", "address");
