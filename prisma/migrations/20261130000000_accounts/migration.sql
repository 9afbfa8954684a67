-- Addresses of a chain by number of transactions
CREATE INDEX evm_addresses_transaction_count_address_idx ON evm_addresses (transaction_count, address);
