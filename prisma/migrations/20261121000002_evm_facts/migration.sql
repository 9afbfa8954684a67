-- The other facts of an EVM chain. Tables that grow with a chain are partitioned by it, as in the first migration.

-- AlterTable
ALTER TABLE "chain_heads" ADD COLUMN     "rows_version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "raw_traces" (
    "chain_id" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "payload" BYTEA NOT NULL,

    CONSTRAINT "raw_traces_pkey" PRIMARY KEY ("chain_id","block_hash")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "untraced_ranges" (
    "chain_id" BIGINT NOT NULL,
    "from_block" BIGINT NOT NULL,
    "to_block" BIGINT NOT NULL,

    CONSTRAINT "untraced_ranges_pkey" PRIMARY KEY ("chain_id","from_block")
);

-- CreateTable
CREATE TABLE "chain_capabilities" (
    "chain_id" BIGINT NOT NULL,
    "capability" TEXT NOT NULL,
    "is_on" BOOLEAN NOT NULL,
    "reason" TEXT,

    CONSTRAINT "chain_capabilities_pkey" PRIMARY KEY ("chain_id","capability")
);

-- CreateTable
CREATE TABLE "evm_internal_transactions" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_index" INTEGER NOT NULL,
    "trace_index" INTEGER NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA,
    "internal_tx_type" TEXT NOT NULL,
    "opcode" TEXT NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "is_reverted" BOOLEAN NOT NULL,
    "gas_used" DECIMAL(20,0) NOT NULL,
    "gas_limit" DECIMAL(20,0) NOT NULL,

    CONSTRAINT "evm_internal_transactions_pkey" PRIMARY KEY ("chain_id","block_number","block_index","trace_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_deployments" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_index" INTEGER NOT NULL,
    "trace_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "creator_address" BYTEA NOT NULL,
    "opcode" TEXT NOT NULL,

    CONSTRAINT "evm_deployments_pkey" PRIMARY KEY ("chain_id","address","block_number","block_index","trace_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc721_transfers" (
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
    "token_id" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "erc721_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc1155_transfers" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "batch_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "operator_address" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "erc1155_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index","batch_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_contracts" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "first_block_number" BIGINT NOT NULL,
    "metadata_status" TEXT NOT NULL DEFAULT 'PENDING',
    "name" TEXT NOT NULL DEFAULT '',
    "symbol" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "nft_contracts_pkey" PRIMARY KEY ("chain_id","address")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_items" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL,
    "erc_type" TEXT NOT NULL,
    "first_block_number" BIGINT NOT NULL,
    "metadata_state" TEXT NOT NULL DEFAULT 'PENDING',

    CONSTRAINT "nft_items_pkey" PRIMARY KEY ("chain_id","address","token_id","erc_type")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "nft_metadata" (
    "chain_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL,
    "erc_type" TEXT NOT NULL,
    "token_uri" TEXT NOT NULL,
    "index_status" TEXT NOT NULL,
    "metadata_last_updated_timestamp" BIGINT,
    "name" TEXT,
    "symbol" TEXT,
    "image_uri" TEXT,
    "description" TEXT,
    "animation_uri" TEXT,
    "external_url" TEXT,
    "background" TEXT,
    "attributes" TEXT,
    "decimals" INTEGER,
    "properties" TEXT,
    "attempts" INTEGER NOT NULL,
    "next_attempt_at" BIGINT,

    CONSTRAINT "nft_metadata_pkey" PRIMARY KEY ("chain_id","address","token_id","erc_type")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc20_balances" (
    "chain_id" BIGINT NOT NULL,
    "token_address" BYTEA NOT NULL,
    "address" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "balance" DECIMAL(96,0) NOT NULL,

    CONSTRAINT "erc20_balances_pkey" PRIMARY KEY ("chain_id","token_address","address","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "icm_events" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "event" TEXT NOT NULL,
    "direction" TEXT,
    "message_id" BYTEA NOT NULL,
    "blockchain_id" BYTEA,
    "messenger_address" BYTEA NOT NULL,
    "message_nonce" DECIMAL(78,0),
    "origin_sender_address" BYTEA,
    "destination_address" BYTEA,
    "required_gas_limit" DECIMAL(78,0),

    CONSTRAINT "icm_events_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_ext_data" (
    "chain_id" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "ext_data" BYTEA NOT NULL,

    CONSTRAINT "evm_ext_data_pkey" PRIMARY KEY ("chain_id","block_number")
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "prices" (
    "asset" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "value" DECIMAL(60,30) NOT NULL,

    CONSTRAINT "prices_pkey" PRIMARY KEY ("asset","currency","timestamp")
);

-- CreateIndex
CREATE INDEX "evm_blocks_chain_id_block_timestamp_idx" ON "evm_blocks"("chain_id", "block_timestamp");

-- CreateIndex
CREATE INDEX "evm_internal_transactions_chain_id_from_address_block_numbe_idx" ON "evm_internal_transactions"("chain_id", "from_address", "block_number", "block_index", "trace_index");

-- CreateIndex
CREATE INDEX "evm_internal_transactions_chain_id_to_address_block_number__idx" ON "evm_internal_transactions"("chain_id", "to_address", "block_number", "block_index", "trace_index");

-- CreateIndex
CREATE INDEX "evm_deployments_chain_id_block_number_block_index_trace_ind_idx" ON "evm_deployments"("chain_id", "block_number", "block_index", "trace_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_chain_id_from_address_block_number_log_ind_idx" ON "erc721_transfers"("chain_id", "from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_chain_id_to_address_block_number_log_index_idx" ON "erc721_transfers"("chain_id", "to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_chain_id_token_address_token_id_block_numb_idx" ON "erc721_transfers"("chain_id", "token_address", "token_id", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_chain_id_from_address_block_number_log_in_idx" ON "erc1155_transfers"("chain_id", "from_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_chain_id_to_address_block_number_log_inde_idx" ON "erc1155_transfers"("chain_id", "to_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_chain_id_token_address_token_id_block_num_idx" ON "erc1155_transfers"("chain_id", "token_address", "token_id", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "nft_contracts_chain_id_metadata_status_first_block_number_idx" ON "nft_contracts"("chain_id", "metadata_status", "first_block_number");

-- CreateIndex
CREATE INDEX "nft_items_chain_id_metadata_state_first_block_number_idx" ON "nft_items"("chain_id", "metadata_state", "first_block_number");

-- CreateIndex
CREATE INDEX "nft_metadata_chain_id_next_attempt_at_idx" ON "nft_metadata"("chain_id", "next_attempt_at");

-- CreateIndex
CREATE INDEX "erc20_balances_chain_id_block_number_idx" ON "erc20_balances"("chain_id", "block_number");

-- CreateIndex
CREATE INDEX "icm_events_chain_id_block_number_block_index_log_index_idx" ON "icm_events"("chain_id", "block_number", "block_index", "log_index");

-- CreateIndex
CREATE INDEX "icm_events_message_id_idx" ON "icm_events"("message_id");

-- Payloads are deflated already: compressing them again would cost time for nothing.
ALTER TABLE "raw_traces" ALTER COLUMN "payload" SET STORAGE EXTERNAL;
