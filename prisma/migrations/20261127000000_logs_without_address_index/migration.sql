-- No statement of Moraine finds logs by their address: logs are read by transaction or by block, which the primary key serves.

-- DropIndex
DROP INDEX "evm_logs_address_block_number_log_index_idx";
