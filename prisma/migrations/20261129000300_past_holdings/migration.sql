-- The tokens that an address held after an earlier block: those that it holds now, and those that it does not hold any more. Both indexes
-- have all columns from which a past balance is read.

DROP INDEX erc20_holders_address_idx;
CREATE INDEX erc20_holders_address_idx ON erc20_holders (chain_id, address, token_address)
    INCLUDE (balance, holder_id, first_block_number, last_block_number) WHERE balance > 0;
CREATE INDEX erc20_holders_past_address_idx ON erc20_holders (chain_id, address, token_address)
    INCLUDE (balance, holder_id, first_block_number, last_block_number) WHERE balance <= 0;
