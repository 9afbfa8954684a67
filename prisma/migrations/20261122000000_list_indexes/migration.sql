-- The lists of internal transactions by address leave the type UNKNOWN out, and so do their indexes: a page is one range.

-- DropIndex
DROP INDEX "evm_internal_transactions_chain_id_from_address_block_numbe_idx";

-- DropIndex
DROP INDEX "evm_internal_transactions_chain_id_to_address_block_number__idx";

-- DropIndex
DROP INDEX "icm_events_message_id_idx";

-- CreateIndex
CREATE INDEX "evm_internal_transactions_sender_idx" ON "evm_internal_transactions"("chain_id", "from_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "evm_internal_transactions_recipient_idx" ON "evm_internal_transactions"("chain_id", "to_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "icm_events_message_idx" ON "icm_events"("message_id", "block_timestamp", "chain_id", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "icm_events_message_direction_idx" ON "icm_events"("message_id", "direction", "block_timestamp", "chain_id", "block_number", "log_index") WHERE (direction IS NOT NULL);
