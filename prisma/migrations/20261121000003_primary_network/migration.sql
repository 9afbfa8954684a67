-- The primary network: P-, X- and C-Chain. Tables that grow with it are partitioned by it, as by the chain before.

-- CreateTable
CREATE TABLE "primary_networks" (
    "network_id" BIGINT NOT NULL,
    "hrp" TEXT NOT NULL,
    "genesis_hash" BYTEA NOT NULL,
    "genesis_timestamp" BIGINT NOT NULL,
    "x_chain_id" BYTEA NOT NULL,
    "c_chain_id" BYTEA NOT NULL,
    "avax_asset_id" BYTEA NOT NULL,
    "rules" TEXT NOT NULL,

    CONSTRAINT "primary_networks_pkey" PRIMARY KEY ("network_id")
);

-- CreateTable
CREATE TABLE "primary_heads" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "journal_seq" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "container_id" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "tx_count" BIGINT NOT NULL,
    "rows_version" INTEGER NOT NULL,

    CONSTRAINT "primary_heads_pkey" PRIMARY KEY ("network_id","chain")
);

-- CreateTable
CREATE TABLE "primary_progress" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "node_block_number" BIGINT,
    "fetched_block_number" BIGINT,
    "blocks_per_second" DOUBLE PRECISION NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "primary_progress_pkey" PRIMARY KEY ("network_id","chain")
);

-- CreateTable
CREATE TABLE "primary_journal" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "is_vertex" BOOLEAN NOT NULL,
    "payload" BYTEA NOT NULL,
    "accepted_at" BIGINT,

    CONSTRAINT "primary_journal_pkey" PRIMARY KEY ("network_id","chain","seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "p_chain_states" (
    "network_id" BIGINT NOT NULL,
    "chain_timestamp" BIGINT NOT NULL,
    "current_supply" DECIMAL(20,0) NOT NULL,
    "fee_capacity" DECIMAL(20,0) NOT NULL,
    "fee_excess" DECIMAL(20,0) NOT NULL,
    "l1_fee_excess" DECIMAL(20,0) NOT NULL,
    "l1_accrued_fees" DECIMAL(20,0) NOT NULL,
    "active_l1_validators" INTEGER NOT NULL,
    "staker_count" BIGINT NOT NULL,
    "reward_count" BIGINT NOT NULL,
    "subnet_count" BIGINT NOT NULL,
    "blockchain_count" BIGINT NOT NULL,
    "l1_validator_count" BIGINT NOT NULL,

    CONSTRAINT "p_chain_states_pkey" PRIMARY KEY ("network_id")
);

-- CreateTable
CREATE TABLE "primary_blocks" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "parent_hash" BYTEA NOT NULL,
    "block_type" TEXT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "tx_hashes" BYTEA[],
    "size_bytes" INTEGER NOT NULL,
    "proposer_id" BYTEA,
    "proposer_parent_id" BYTEA,
    "proposer_node_id" BYTEA,
    "proposer_pchain_height" BIGINT,
    "proposer_timestamp" BIGINT,
    "node_id" BYTEA,
    "l1_validators_accrued_fees" DECIMAL(20,0),
    "active_l1_validators" INTEGER,
    "current_supply" DECIMAL(20,0),

    CONSTRAINT "primary_blocks_pkey" PRIMARY KEY ("network_id","chain","block_number")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "x_chain_vertices" (
    "network_id" BIGINT NOT NULL,
    "vertex_index" BIGINT NOT NULL,
    "vertex_hash" BYTEA NOT NULL,
    "parent_hashes" BYTEA[],
    "vertex_height" BIGINT NOT NULL,
    "vertex_timestamp" BIGINT NOT NULL,
    "tx_hashes" BYTEA[],
    "size_bytes" INTEGER NOT NULL,

    CONSTRAINT "x_chain_vertices_pkey" PRIMARY KEY ("network_id","vertex_index")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "primary_transactions" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "tx_seq" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "tx_type" TEXT NOT NULL,
    "block_number" BIGINT,
    "block_hash" BYTEA,
    "vertex_index" BIGINT,
    "block_timestamp" BIGINT NOT NULL,
    "memo" BYTEA NOT NULL,
    "source_chain" BYTEA,
    "destination_chain" BYTEA,
    "consumed_utxo_ids" BYTEA[],
    "emitted_utxo_ids" BYTEA[],
    "burned_asset_ids" BYTEA[],
    "burned_amounts" DECIMAL(30,0)[],
    "l1_balance_burned" DECIMAL(20,0) NOT NULL,
    "start_timestamp" BIGINT,
    "end_timestamp" BIGINT,
    "delegation_shares" INTEGER,
    "node_id" BYTEA,
    "subnet_id" BYTEA,
    "reward_addresses" BYTEA[],
    "staking_tx_hash" BYTEA,
    "bls_public_key" BYTEA,
    "bls_proof_of_possession" BYTEA,
    "details" TEXT,

    CONSTRAINT "primary_transactions_pkey" PRIMARY KEY ("network_id","chain","tx_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "primary_address_transactions" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "address" BYTEA NOT NULL,
    "tx_seq" BIGINT NOT NULL,
    "tx_type" TEXT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,

    CONSTRAINT "primary_address_transactions_pkey" PRIMARY KEY ("network_id","chain","address","tx_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "l1_validator_transactions" (
    "network_id" BIGINT NOT NULL,
    "validation_id" BYTEA NOT NULL,
    "tx_seq" BIGINT NOT NULL,
    "tx_type" TEXT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,

    CONSTRAINT "l1_validator_transactions_pkey" PRIMARY KEY ("network_id","validation_id","tx_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "utxos" (
    "network_id" BIGINT NOT NULL,
    "utxo_id" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "output_index" BIGINT NOT NULL,
    "asset_id" BYTEA NOT NULL,
    "output_type" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "locktime" DECIMAL(20,0) NOT NULL,
    "threshold" BIGINT NOT NULL,
    "addresses" BYTEA[],
    "stakeable_locktime" DECIMAL(20,0),
    "group_id" BIGINT,
    "payload" BYTEA,
    "role" TEXT NOT NULL,
    "reward_type" TEXT,
    "stake_start" BIGINT,
    "stake_end" BIGINT,
    "created_on_chain" TEXT NOT NULL,
    "chain" TEXT NOT NULL,
    "created_block_number" BIGINT,
    "created_timestamp" BIGINT,
    "consumed_tx_hash" BYTEA,
    "consumed_block_number" BIGINT,
    "consumed_timestamp" BIGINT,

    CONSTRAINT "utxos_pkey" PRIMARY KEY ("network_id","utxo_id")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "primary_assets" (
    "network_id" BIGINT NOT NULL,
    "asset_id" BYTEA NOT NULL,
    "name" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "denomination" INTEGER NOT NULL,
    "asset_type" TEXT NOT NULL,
    "cap" TEXT NOT NULL,
    "create_timestamp" BIGINT NOT NULL,

    CONSTRAINT "primary_assets_pkey" PRIMARY KEY ("network_id","asset_id")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "stakers" (
    "network_id" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "staker_seq" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "is_permissioned" BOOLEAN NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "node_id" BYTEA NOT NULL,
    "weight" DECIMAL(20,0) NOT NULL,
    "start_timestamp" BIGINT NOT NULL,
    "end_timestamp" BIGINT NOT NULL,
    "start_priority" INTEGER NOT NULL,
    "shares" INTEGER,
    "bls_public_key" BYTEA,
    "bls_proof_of_possession" BYTEA,
    "validator_tx_hash" BYTEA,
    "output_count" INTEGER NOT NULL,
    "stake_count" INTEGER NOT NULL,
    "stake_asset_id" BYTEA,
    "reward_owner" TEXT,
    "share_owner" TEXT,
    "reward_addresses" BYTEA[],
    "potential_reward" DECIMAL(20,0),
    "accrued_share" DECIMAL(20,0) NOT NULL,
    "reward_tx_hash" BYTEA,
    "is_rewarded" BOOLEAN,
    "ended_timestamp" BIGINT,
    "remove_tx_hash" BYTEA,
    "paid_reward" DECIMAL(20,0) NOT NULL,
    "paid_share" DECIMAL(20,0) NOT NULL,

    CONSTRAINT "stakers_pkey" PRIMARY KEY ("network_id","tx_hash")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "staker_owners" (
    "network_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "start_timestamp" BIGINT NOT NULL,
    "staker_seq" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,

    CONSTRAINT "staker_owners_pkey" PRIMARY KEY ("network_id","address","kind","start_timestamp","staker_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "primary_rewards" (
    "network_id" BIGINT NOT NULL,
    "reward_seq" BIGINT NOT NULL,
    "utxo_id" BYTEA NOT NULL,
    "output_index" BIGINT NOT NULL,
    "staking_tx_hash" BYTEA NOT NULL,
    "reward_tx_hash" BYTEA NOT NULL,
    "reward_type" TEXT NOT NULL,
    "node_id" BYTEA NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "amount_staked" DECIMAL(20,0) NOT NULL,
    "start_timestamp" BIGINT NOT NULL,
    "end_timestamp" BIGINT NOT NULL,
    "asset_id" BYTEA NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "addresses" BYTEA[],
    "reward_timestamp" BIGINT NOT NULL,

    CONSTRAINT "primary_rewards_pkey" PRIMARY KEY ("network_id","reward_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "reward_owners" (
    "network_id" BIGINT NOT NULL,
    "address" BYTEA NOT NULL,
    "end_timestamp" BIGINT NOT NULL,
    "reward_seq" BIGINT NOT NULL,
    "node_id" BYTEA NOT NULL,

    CONSTRAINT "reward_owners_pkey" PRIMARY KEY ("network_id","address","end_timestamp","reward_seq")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "subnets" (
    "network_id" BIGINT NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "subnet_seq" BIGINT NOT NULL,
    "create_block_number" BIGINT NOT NULL,
    "create_timestamp" BIGINT NOT NULL,
    "create_owner_addresses" BYTEA[],
    "create_owner_threshold" BIGINT NOT NULL,
    "create_owner_locktime" DECIMAL(20,0) NOT NULL,
    "owner_addresses" BYTEA[],
    "owner_threshold" BIGINT NOT NULL,
    "owner_locktime" DECIMAL(20,0) NOT NULL,
    "conversion_tx_hash" BYTEA,
    "conversion_timestamp" BIGINT,
    "manager_chain_id" BYTEA,
    "manager_address" BYTEA,
    "transform_tx_hash" BYTEA,
    "staking_asset_id" BYTEA,
    "current_supply" DECIMAL(20,0),
    "maximum_supply" DECIMAL(20,0),
    "min_consumption_rate" DECIMAL(20,0),
    "max_consumption_rate" DECIMAL(20,0),

    CONSTRAINT "subnets_pkey" PRIMARY KEY ("network_id","subnet_id")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "blockchains" (
    "network_id" BIGINT NOT NULL,
    "blockchain_id" BYTEA NOT NULL,
    "blockchain_seq" BIGINT NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "create_block_number" BIGINT NOT NULL,
    "create_timestamp" BIGINT NOT NULL,
    "vm_id" BYTEA NOT NULL,
    "name" TEXT NOT NULL,
    "genesis_data" BYTEA NOT NULL,
    "evm_chain_id" DECIMAL(78,0),

    CONSTRAINT "blockchains_pkey" PRIMARY KEY ("network_id","blockchain_id")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "l1_validators" (
    "network_id" BIGINT NOT NULL,
    "validation_id" BYTEA NOT NULL,
    "validator_seq" BIGINT NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "node_id" BYTEA NOT NULL,
    "weight" DECIMAL(20,0) NOT NULL,
    "creation_timestamp" BIGINT NOT NULL,
    "bls_public_key" BYTEA NOT NULL,
    "bls_proof_of_possession" BYTEA NOT NULL,
    "remaining_balance_owner_addresses" BYTEA[],
    "remaining_balance_owner_threshold" BIGINT NOT NULL,
    "deactivation_owner_addresses" BYTEA[],
    "deactivation_owner_threshold" BIGINT NOT NULL,
    "min_nonce" DECIMAL(20,0) NOT NULL,
    "end_accumulated_fee" DECIMAL(20,0) NOT NULL,
    "is_active" BOOLEAN NOT NULL,
    "is_removed" BOOLEAN NOT NULL,

    CONSTRAINT "l1_validators_pkey" PRIMARY KEY ("network_id","validation_id")
) PARTITION BY LIST ("network_id");

-- CreateIndex
CREATE INDEX "primary_blocks_network_id_chain_node_id_block_number_idx" ON "primary_blocks"("network_id", "chain", "node_id", "block_number");

-- CreateIndex
CREATE INDEX "primary_blocks_network_id_chain_block_timestamp_block_numbe_idx" ON "primary_blocks"("network_id", "chain", "block_timestamp", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "primary_blocks_network_id_chain_block_hash_key" ON "primary_blocks"("network_id", "chain", "block_hash");

-- CreateIndex
CREATE UNIQUE INDEX "x_chain_vertices_network_id_vertex_hash_key" ON "x_chain_vertices"("network_id", "vertex_hash");

-- CreateIndex
CREATE INDEX "primary_transactions_network_id_chain_block_timestamp_tx_se_idx" ON "primary_transactions"("network_id", "chain", "block_timestamp", "tx_seq");

-- CreateIndex
CREATE UNIQUE INDEX "primary_transactions_network_id_tx_hash_key" ON "primary_transactions"("network_id", "tx_hash");

-- CreateIndex
CREATE INDEX "utxos_unspent_idx" ON "utxos"("network_id", "addresses", "created_on_chain", "chain", "asset_id", "stake_start", "stake_end", "locktime", "stakeable_locktime", "created_timestamp", "amount") WHERE (consumed_timestamp IS NULL AND cardinality(addresses) = 1);

-- CreateIndex
CREATE INDEX "utxos_spent_idx" ON "utxos"("network_id", "addresses", "created_on_chain", "consumed_timestamp") WHERE (consumed_timestamp IS NOT NULL AND cardinality(addresses) = 1);

-- CreateIndex
CREATE INDEX "utxos_shared_idx" ON "utxos" USING GIN ("addresses") WHERE (cardinality(addresses) <> 1);

-- CreateIndex
CREATE INDEX "stakers_network_id_node_id_kind_start_timestamp_staker_seq_idx" ON "stakers"("network_id", "node_id", "kind", "start_timestamp", "staker_seq");

-- CreateIndex
CREATE INDEX "stakers_network_id_subnet_id_kind_start_timestamp_staker_se_idx" ON "stakers"("network_id", "subnet_id", "kind", "start_timestamp", "staker_seq");

-- CreateIndex
CREATE INDEX "stakers_network_id_kind_start_timestamp_staker_seq_idx" ON "stakers"("network_id", "kind", "start_timestamp", "staker_seq");

-- CreateIndex
CREATE INDEX "stakers_network_id_kind_status_start_timestamp_staker_seq_idx" ON "stakers"("network_id", "kind", "status", "start_timestamp", "staker_seq");

-- CreateIndex
CREATE INDEX "stakers_network_id_validator_tx_hash_idx" ON "stakers"("network_id", "validator_tx_hash");

-- CreateIndex
CREATE INDEX "primary_rewards_network_id_node_id_end_timestamp_reward_seq_idx" ON "primary_rewards"("network_id", "node_id", "end_timestamp", "reward_seq");

-- CreateIndex
CREATE INDEX "subnets_network_id_subnet_seq_idx" ON "subnets"("network_id", "subnet_seq");

-- CreateIndex
CREATE INDEX "blockchains_network_id_subnet_id_blockchain_seq_idx" ON "blockchains"("network_id", "subnet_id", "blockchain_seq");

-- CreateIndex
CREATE INDEX "l1_validators_network_id_validator_seq_idx" ON "l1_validators"("network_id", "validator_seq");

-- CreateIndex
CREATE INDEX "l1_validators_network_id_is_active_validator_seq_idx" ON "l1_validators"("network_id", "is_active", "validator_seq");

-- CreateIndex
CREATE INDEX "l1_validators_network_id_subnet_id_validator_seq_idx" ON "l1_validators"("network_id", "subnet_id", "validator_seq");

-- CreateIndex
CREATE INDEX "l1_validators_network_id_node_id_validator_seq_idx" ON "l1_validators"("network_id", "node_id", "validator_seq");
