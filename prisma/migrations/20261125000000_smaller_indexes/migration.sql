-- The indexes of a partition need no chain id: all rows of a partition have the same one. PostgreSQL finds the partition by the chain
-- id of the query, and compares the chain id of the rows that it reads. Each entry of an index is 8 bytes smaller.
-- A hash index over the hashes of transactions stores 4 bytes of each. It cannot be unique, so the indexer checks that they are new.

-- DropIndex
DROP INDEX "evm_transactions_chain_id_from_address_block_number_block_i_idx";

-- DropIndex
DROP INDEX "evm_transactions_chain_id_to_address_block_number_block_ind_idx";

-- DropIndex
DROP INDEX "evm_transactions_chain_id_tx_hash_key";

-- DropIndex
DROP INDEX "evm_logs_chain_id_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc20_transfers_chain_id_from_address_block_number_log_inde_idx";

-- DropIndex
DROP INDEX "erc20_transfers_chain_id_to_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc20_transfers_chain_id_token_address_block_number_log_ind_idx";

-- DropIndex
DROP INDEX "evm_internal_transactions_sender_idx";

-- DropIndex
DROP INDEX "evm_internal_transactions_recipient_idx";

-- DropIndex
DROP INDEX "erc721_transfers_chain_id_from_address_block_number_log_ind_idx";

-- DropIndex
DROP INDEX "erc721_transfers_chain_id_to_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc721_transfers_chain_id_token_address_token_id_block_numb_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_chain_id_from_address_block_number_log_in_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_chain_id_to_address_block_number_log_inde_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_chain_id_token_address_token_id_block_num_idx";

-- CreateIndex
CREATE INDEX "evm_transactions_tx_hash_idx" ON "evm_transactions" USING HASH ("tx_hash");

-- CreateIndex
CREATE INDEX "evm_transactions_from_address_block_number_block_index_idx" ON "evm_transactions"("from_address", "block_number", "block_index");

-- CreateIndex
CREATE INDEX "evm_transactions_to_address_block_number_block_index_idx" ON "evm_transactions"("to_address", "block_number", "block_index");

-- CreateIndex
CREATE INDEX "evm_logs_address_block_number_log_index_idx" ON "evm_logs"("address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_from_address_block_number_log_index_idx" ON "erc20_transfers"("from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_to_address_block_number_log_index_idx" ON "erc20_transfers"("to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_token_address_block_number_log_index_idx" ON "erc20_transfers"("token_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "evm_internal_transactions_sender_idx" ON "evm_internal_transactions"("from_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "evm_internal_transactions_recipient_idx" ON "evm_internal_transactions"("to_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "erc721_transfers_from_address_block_number_log_index_idx" ON "erc721_transfers"("from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_to_address_block_number_log_index_idx" ON "erc721_transfers"("to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_token_address_token_id_block_number_log_in_idx" ON "erc721_transfers"("token_address", "token_id", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_from_address_block_number_log_index_batch_idx" ON "erc1155_transfers"("from_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_to_address_block_number_log_index_batch_i_idx" ON "erc1155_transfers"("to_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_token_address_token_id_block_number_log_i_idx" ON "erc1155_transfers"("token_address", "token_id", "block_number", "log_index", "batch_index");
