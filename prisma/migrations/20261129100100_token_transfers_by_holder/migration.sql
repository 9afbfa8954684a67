-- Transfers of a token from or to an address
CREATE INDEX erc20_transfers_token_address_from_address_block_number_log_idx
    ON erc20_transfers (token_address, from_address, block_number, log_index);
CREATE INDEX erc20_transfers_token_address_to_address_block_number_log_i_idx
    ON erc20_transfers (token_address, to_address, block_number, log_index);
