-- The NFTs that an address held after an earlier block, and the holders of collections and of ERC-1155 token ids. The new tables are filled from
-- the transfers, so that no rows are computed again from raw blocks.

CREATE TABLE nft_item_balances (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    address bytea NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    erc_type text NOT NULL,
    balance numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, address, token_address, token_id, erc_type, block_number) INCLUDE (balance)
) PARTITION BY LIST (chain_id);

CREATE TABLE nft_collection_balances (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    token_address bytea NOT NULL,
    address bytea NOT NULL,
    balance numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, address, block_number) INCLUDE (balance)
) PARTITION BY LIST (chain_id);

-- Holders and supply of each ERC-1155 token id. The last row of a token id has what was in erc1155_counts.
DROP TABLE erc1155_counts;
CREATE TABLE erc1155_supplies (
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    holder_count bigint NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    total_supply numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, token_id, block_number)
) PARTITION BY LIST (chain_id);

-- The partitions of the chains that have rows. The indexer creates those of other chains.
DO $$
DECLARE
    chain bigint;
    new_table text;
BEGIN
    FOR chain IN SELECT chain_id FROM chain_heads LOOP
        FOREACH new_table IN ARRAY ARRAY['nft_item_balances', 'nft_collection_balances', 'erc1155_supplies'] LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s)', new_table || '_' || chain, new_table, chain);
        END LOOP;
    END LOOP;
END $$;

-- What each block changes of the number of tokens that an address holds
CREATE UNLOGGED TABLE nft_changes AS
    SELECT chain_id, block_number, address, token_address, token_id, erc_type, sum(amount) AS amount
    FROM (
        SELECT chain_id, block_number, to_address AS address, token_address, token_id, 'ERC-721' AS erc_type, 1 AS amount FROM erc721_transfers
        UNION ALL
        SELECT chain_id, block_number, from_address, token_address, token_id, 'ERC-721', -1 FROM erc721_transfers
        UNION ALL
        SELECT chain_id, block_number, to_address, token_address, token_id, 'ERC-1155', value FROM erc1155_transfers
        UNION ALL
        SELECT chain_id, block_number, from_address, token_address, token_id, 'ERC-1155', -value FROM erc1155_transfers) AS side
    WHERE address <> decode(repeat('00', 20), 'hex')
    GROUP BY chain_id, block_number, address, token_address, token_id, erc_type
    HAVING sum(amount) <> 0;

INSERT INTO nft_item_balances (chain_id, block_number, address, token_address, token_id, erc_type, balance)
    SELECT chain_id, block_number, address, token_address, token_id, erc_type,
        sum(amount) OVER (PARTITION BY chain_id, address, token_address, token_id, erc_type ORDER BY block_number)
    FROM nft_changes;

INSERT INTO nft_collection_balances (chain_id, block_number, token_address, address, balance)
    SELECT chain_id, block_number, token_address, address,
        sum(sum(amount)) OVER (PARTITION BY chain_id, token_address, address ORDER BY block_number)
    FROM nft_changes GROUP BY chain_id, token_address, address, block_number HAVING sum(amount) <> 0;

INSERT INTO erc1155_supplies (chain_id, block_number, holder_count, token_address, token_id, total_supply)
    SELECT chain_id, block_number, sum(holders) OVER earlier, token_address, token_id, sum(supply) OVER earlier
    FROM (
        SELECT chain_id, token_address, token_id, block_number, sum((balance > 0)::int - (before > 0)::int) AS holders,
            sum(balance - before) AS supply
        FROM (
            SELECT *, lag(balance, 1, 0::numeric) OVER (PARTITION BY chain_id, token_address, token_id, address ORDER BY block_number) AS before
            FROM nft_item_balances WHERE erc_type = 'ERC-1155') AS step
        GROUP BY chain_id, token_address, token_id, block_number) AS change
    WHERE holders <> 0 OR supply <> 0
    WINDOW earlier AS (PARTITION BY chain_id, token_address, token_id ORDER BY block_number);

DROP TABLE nft_changes;

-- Built once, after the rows
CREATE INDEX nft_item_balances_token_idx ON nft_item_balances (chain_id, token_address, token_id, address, block_number)
    INCLUDE (balance) WHERE erc_type = 'ERC-1155';
