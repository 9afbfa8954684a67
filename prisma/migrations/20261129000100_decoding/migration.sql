-- What decoding needs: data of calls, implementations of proxies, and ABIs of the operator. Indexes for the search by words of names. The indexer fills the new columns and tables of
-- EVM chains when it computes their rows again from the stored blocks, at its next start.

ALTER TABLE evm_internal_transactions ADD COLUMN input bytea, ADD COLUMN output bytea;

ALTER TABLE evm_deployments ADD COLUMN implementation_address bytea;

CREATE TABLE evm_failures (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    block_index integer NOT NULL,
    error text NOT NULL,
    output bytea,
    PRIMARY KEY (chain_id, block_number, block_index)
) PARTITION BY LIST (chain_id);

CREATE TABLE evm_proxy_upgrades (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    log_index integer NOT NULL,
    address bytea NOT NULL,
    kind text NOT NULL,
    implementation_address bytea NOT NULL,
    PRIMARY KEY (chain_id, address, block_number, log_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX evm_proxy_upgrades_chain_id_block_number_idx ON evm_proxy_upgrades (chain_id, block_number);

CREATE TABLE contract_abis (
    abi_id serial NOT NULL,
    chain_id bigint,
    address bytea,
    source text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (abi_id)
);

CREATE TABLE contract_abi_entries (
    abi_id integer NOT NULL,
    entry_index integer NOT NULL,
    chain_id bigint,
    address bytea,
    kind text NOT NULL,
    selector bytea NOT NULL,
    entry text NOT NULL,
    PRIMARY KEY (abi_id, entry_index)
);
CREATE INDEX contract_abi_entries_selector_address_idx ON contract_abi_entries (selector, address);

-- The search also finds names by the beginning of their second to fifth word. A word ends at a space or punctuation.
CREATE INDEX erc20_tokens_word_2_search_idx ON erc20_tokens (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX erc20_tokens_word_3_search_idx ON erc20_tokens (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX erc20_tokens_word_4_search_idx ON erc20_tokens (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX erc20_tokens_word_5_search_idx ON erc20_tokens (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX nft_contracts_word_2_search_idx ON nft_contracts (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX nft_contracts_word_3_search_idx ON nft_contracts (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX nft_contracts_word_4_search_idx ON nft_contracts (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX nft_contracts_word_5_search_idx ON nft_contracts (chain_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), first_block_number, address)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;

CREATE INDEX blockchains_name_search_idx ON blockchains (network_id, lower("left"(name, 200) COLLATE "C"), blockchain_seq)
    WHERE name <> '';
CREATE INDEX blockchains_word_2_search_idx ON blockchains (network_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), blockchain_seq)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){1}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX blockchains_word_3_search_idx ON blockchains (network_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), blockchain_seq)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){2}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX blockchains_word_4_search_idx ON blockchains (network_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), blockchain_seq)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){3}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
CREATE INDEX blockchains_word_5_search_idx ON blockchains (network_id, lower(substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') COLLATE "C"), blockchain_seq)
    WHERE substring("left"(name, 200) from '^[]()[&|+#,;:/._ -]*(?:[^]()[&|+#,;:/._ -]+[]()[&|+#,;:/._ -]+){4}([^]()[&|+#,;:/._ -].*)$') IS NOT NULL;
