-- Every table that grows with a chain leads with its chain and is partitioned by it. The indexer makes a chain's
-- partitions when it begins the chain. Prisma's schema language has no word for partitions, so they are said here.
-- No semicolon may stand in a comment: the engine cuts a script at each.

-- CreateTable
CREATE TABLE "secrets" (
    "name" TEXT NOT NULL,
    "value" BYTEA NOT NULL,

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "chain_heads" (
    "chain_id" BIGINT NOT NULL,
    "genesis_hash" BYTEA NOT NULL,
    "journal_seq" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "cumulative_transactions" BIGINT NOT NULL,

    CONSTRAINT "chain_heads_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "chain_progress" (
    "chain_id" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "node_block_number" BIGINT,
    "fetched_block_number" BIGINT,
    "blocks_per_second" DOUBLE PRECISION NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "chain_progress_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "journal" (
    "chain_id" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "parent_hash" BYTEA NOT NULL,
    "payload" BYTEA,

    CONSTRAINT "journal_pkey" PRIMARY KEY ("chain_id","seq")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "raw_token_answers" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "answers" TEXT NOT NULL,

    CONSTRAINT "raw_token_answers_pkey" PRIMARY KEY ("chain_id","address")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_blocks" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "parent_hash" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_timestamp_milliseconds" BIGINT,
    "block_min_delay_excess" DECIMAL(20,0),
    "tx_count" INTEGER NOT NULL,
    "base_fee" DECIMAL(78,0) NOT NULL,
    "gas_used" BIGINT NOT NULL,
    "gas_limit" DECIMAL(20,0) NOT NULL,
    "gas_cost" DECIMAL(78,0) NOT NULL,
    "fees_spent" DECIMAL(78,0) NOT NULL,
    "cumulative_transactions" BIGINT NOT NULL,
    "state_root" BYTEA NOT NULL,
    "receipts_root" BYTEA NOT NULL,
    "miner" BYTEA NOT NULL,
    "size_bytes" INTEGER NOT NULL,

    CONSTRAINT "evm_blocks_pkey" PRIMARY KEY ("chain_id","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_transactions" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA,
    "tx_type" INTEGER NOT NULL,
    "tx_status" INTEGER NOT NULL,
    "nonce" DECIMAL(20,0) NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "gas_limit" DECIMAL(20,0) NOT NULL,
    "gas_used" BIGINT NOT NULL,
    "cumulative_gas_used" BIGINT NOT NULL,
    "gas_price" DECIMAL(78,0) NOT NULL,
    "max_fee_per_gas" DECIMAL(78,0),
    "max_priority_fee_per_gas" DECIMAL(78,0),
    "input" BYTEA NOT NULL,
    "contract_address" BYTEA,
    "log_count" INTEGER NOT NULL,

    CONSTRAINT "evm_transactions_pkey" PRIMARY KEY ("chain_id","block_number","block_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_logs" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "address" BYTEA NOT NULL,
    "topic0" BYTEA,
    "topic1" BYTEA,
    "topic2" BYTEA,
    "topic3" BYTEA,
    "data" BYTEA NOT NULL,

    CONSTRAINT "evm_logs_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc20_transfers" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "erc20_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc20_tokens" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "first_block_number" BIGINT NOT NULL,
    "metadata_status" TEXT NOT NULL DEFAULT 'PENDING',
    "name" TEXT NOT NULL DEFAULT '',
    "symbol" TEXT NOT NULL DEFAULT '',
    "decimals" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "erc20_tokens_pkey" PRIMARY KEY ("chain_id","address")
) PARTITION BY LIST ("chain_id");

-- CreateIndex
CREATE INDEX "journal_chain_id_block_number_idx" ON "journal"("chain_id", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "evm_blocks_chain_id_block_hash_key" ON "evm_blocks"("chain_id", "block_hash");

-- CreateIndex
CREATE INDEX "evm_transactions_chain_id_from_address_block_number_block_i_idx" ON "evm_transactions"("chain_id", "from_address", "block_number", "block_index");

-- CreateIndex
CREATE INDEX "evm_transactions_chain_id_to_address_block_number_block_ind_idx" ON "evm_transactions"("chain_id", "to_address", "block_number", "block_index");

-- CreateIndex
CREATE UNIQUE INDEX "evm_transactions_chain_id_tx_hash_key" ON "evm_transactions"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "evm_logs_chain_id_address_block_number_log_index_idx" ON "evm_logs"("chain_id", "address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_chain_id_from_address_block_number_log_inde_idx" ON "erc20_transfers"("chain_id", "from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_chain_id_to_address_block_number_log_index_idx" ON "erc20_transfers"("chain_id", "to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_chain_id_token_address_block_number_log_ind_idx" ON "erc20_transfers"("chain_id", "token_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_tokens_chain_id_metadata_status_first_block_number_idx" ON "erc20_tokens"("chain_id", "metadata_status", "first_block_number");

-- Payloads are deflated already: compressing them again would cost time for nothing.
ALTER TABLE "journal" ALTER COLUMN "payload" SET STORAGE EXTERNAL;
