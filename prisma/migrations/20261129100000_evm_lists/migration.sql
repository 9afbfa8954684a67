-- Lists of an address, of a token, of a collection, of a contract and of a chain: the indexes that serve their orders, and counters.

-- Transactions of an address that failed, and calls of a method of a contract
CREATE INDEX evm_transactions_sender_failed_idx ON evm_transactions (from_address, block_number, block_index) WHERE tx_status = 0;
CREATE INDEX evm_transactions_recipient_failed_idx ON evm_transactions (to_address, block_number, block_index) WHERE tx_status = 0;
CREATE INDEX evm_transactions_method_idx
    ON evm_transactions (to_address, substring(input FROM 1 FOR 4), block_number, block_index)
    WHERE to_address IS NOT NULL AND octet_length(input) >= 4;

-- Logs of a contract, and those with a first topic
CREATE INDEX evm_logs_address_block_number_log_index_idx ON evm_logs (address, block_number, log_index);
CREATE INDEX evm_logs_address_topic0_block_number_log_index_idx ON evm_logs (address, topic0, block_number, log_index);

-- Transfers of a collection
CREATE INDEX erc721_transfers_token_address_block_number_log_index_idx ON erc721_transfers (token_address, block_number, log_index);
CREATE INDEX erc1155_transfers_token_address_block_number_log_index_batc_idx
    ON erc1155_transfers (token_address, block_number, log_index, batch_index);

-- Holders of a token id
CREATE INDEX nft_holdings_token_idx ON nft_holdings (token_address, token_id, erc_type, balance, address);

-- Current counters of tokens
CREATE TABLE erc20_counts (
    chain_id bigint NOT NULL,
    transfer_count bigint NOT NULL,
    holder_count bigint NOT NULL,
    token_address bytea NOT NULL,
    PRIMARY KEY (chain_id, token_address)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc20_counts_holder_count_token_address_idx ON erc20_counts (holder_count, token_address);
CREATE INDEX erc20_counts_transfer_count_token_address_idx ON erc20_counts (transfer_count, token_address);

CREATE TABLE nft_counts (
    chain_id bigint NOT NULL,
    transfer_count bigint NOT NULL,
    holder_count bigint NOT NULL,
    token_address bytea NOT NULL,
    PRIMARY KEY (chain_id, token_address)
) PARTITION BY LIST (chain_id);
CREATE INDEX nft_counts_holder_count_token_address_idx ON nft_counts (holder_count, token_address);
CREATE INDEX nft_counts_transfer_count_token_address_idx ON nft_counts (transfer_count, token_address);

-- Holders and supply of each ERC-1155 token id
CREATE TABLE erc1155_counts (
    chain_id bigint NOT NULL,
    holder_count bigint NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    total_supply numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, token_id)
) PARTITION BY LIST (chain_id);
