-- Calls of a method by an address. The key is 7 bytes of a hash: an entry has 24 bytes. Statements compare the row too.
CREATE INDEX evm_transactions_sender_method_idx
    ON evm_transactions (substring(sha256(from_address || substring(input FROM 1 FOR 4)) FROM 1 FOR 7), block_number, block_index)
    WHERE to_address IS NOT NULL AND octet_length(input) >= 4;
