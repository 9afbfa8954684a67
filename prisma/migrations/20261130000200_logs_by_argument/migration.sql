-- Logs of a contract with a first topic, by one of the other topics. The key is 7 bytes of a hash: an entry has 24 bytes. Statements compare
-- the row too.
CREATE INDEX evm_logs_topic1_idx ON evm_logs (substring(sha256(address || topic0 || topic1) FROM 1 FOR 7), block_number, log_index)
    WHERE topic1 <> '';
CREATE INDEX evm_logs_topic2_idx ON evm_logs (substring(sha256(address || topic0 || topic2) FROM 1 FOR 7), block_number, log_index)
    WHERE topic2 <> '';
CREATE INDEX evm_logs_topic3_idx ON evm_logs (substring(sha256(address || topic0 || topic3) FROM 1 FOR 7), block_number, log_index)
    WHERE topic3 <> '';
