-- Activity of EVM chains by period, their addresses, and the page tokens of the metrics lists. Tables that grow with a chain
-- are partitioned by it, as in the first migration.

-- CreateTable
CREATE TABLE "evm_block_activity" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "active_in_hour" INTEGER NOT NULL,
    "active_in_day" INTEGER NOT NULL,
    "active_in_week" INTEGER NOT NULL,
    "active_in_month" INTEGER NOT NULL,
    "new_addresses" INTEGER NOT NULL,
    "new_contracts" INTEGER NOT NULL,
    "erc20_transfers" INTEGER NOT NULL,

    CONSTRAINT "evm_block_activity_pkey" PRIMARY KEY ("chain_id","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_activity" (
    "chain_id" BIGINT NOT NULL,
    "interval" TEXT NOT NULL,
    "period_start" BIGINT NOT NULL,
    "blocks" BIGINT NOT NULL,
    "transactions" BIGINT NOT NULL,
    "gas_used" DECIMAL(78,0) NOT NULL,
    "fees_spent" DECIMAL(78,0) NOT NULL,
    "active_addresses" BIGINT NOT NULL,
    "new_addresses" BIGINT NOT NULL,
    "new_contracts" BIGINT NOT NULL,
    "erc20_transfers" BIGINT NOT NULL,

    CONSTRAINT "evm_activity_pkey" PRIMARY KEY ("chain_id","interval","period_start")
);

-- CreateTable
CREATE TABLE "evm_addresses" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "first_block_number" BIGINT NOT NULL,
    "last_block_number" BIGINT NOT NULL,
    "last_block_timestamp" BIGINT NOT NULL,
    "transaction_count" BIGINT NOT NULL,

    CONSTRAINT "evm_addresses_pkey" PRIMARY KEY ("chain_id","address")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "metrics_page_tokens" (
    "token" UUID NOT NULL,
    "request" TEXT NOT NULL,
    "cursor" TEXT NOT NULL,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "metrics_page_tokens_pkey" PRIMARY KEY ("token")
);

-- CreateIndex
CREATE INDEX "metrics_page_tokens_expires_at_idx" ON "metrics_page_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "evm_transactions_contract_address_idx" ON "evm_transactions"("chain_id", "contract_address", "block_number") WHERE (contract_address IS NOT NULL AND tx_status = 1);
