-- The tables of Moraine. prisma/schema.prisma describes each column.
--
-- A table that grows with a chain or a network is partitioned by it. The indexer creates the partitions of a chain when it begins to index
-- it. Prisma's schema language has no partitions, no included columns and no indexes of expressions.
-- The index of a partition needs no chain id, because all rows of the partition have the same one: PostgreSQL finds the partition by the
-- chain id of the query. Indexes without it are 8 bytes smaller per entry.

-- The installation

CREATE TABLE secrets (
    name text NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (name)
);

-- Not logged, because the limits of callers may start anew after a crash.
CREATE UNLOGGED TABLE rate_usage (
    caller text NOT NULL,
    window_number bigint NOT NULL,
    units bigint NOT NULL,
    window_seconds integer NOT NULL,
    PRIMARY KEY (caller, window_seconds, window_number)
);

CREATE TABLE api_keys (
    key_hash bytea NOT NULL,
    label text NOT NULL,
    compute_units_per_minute integer,
    compute_units_per_day integer,
    networks text[],
    scopes text[],
    created_at bigint NOT NULL,
    revoked_at bigint,
    PRIMARY KEY (key_hash)
);

-- EVM chains

CREATE TABLE chain_heads (
    chain_id bigint NOT NULL,
    genesis_hash bytea NOT NULL,
    raw_seq bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    block_timestamp bigint NOT NULL,
    cumulative_transactions bigint NOT NULL,
    rows_version integer NOT NULL DEFAULT 1,
    batched_blocks bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (chain_id)
);

CREATE TABLE chain_progress (
    chain_id bigint NOT NULL,
    state text NOT NULL,
    reason text,
    node_block_number bigint,
    fetched_block_number bigint,
    blocks_per_second double precision NOT NULL,
    updated_at bigint NOT NULL,
    head_seen_at bigint,
    PRIMARY KEY (chain_id)
);

CREATE TABLE chain_places (
    chain_id bigint NOT NULL,
    network text NOT NULL,
    blockchain_id bytea,
    subnet_id bytea,
    vm_id bytea,
    PRIMARY KEY (chain_id)
);

CREATE TABLE chain_capabilities (
    chain_id bigint NOT NULL,
    capability text NOT NULL,
    is_on boolean NOT NULL,
    reason text,
    PRIMARY KEY (chain_id, capability)
);

-- EVM chains: answers of nodes, from which all other rows can be computed again. Payloads are compressed already, so PostgreSQL does not
-- try to compress them.

CREATE TABLE raw_blocks (
    chain_id bigint NOT NULL,
    seq bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    parent_hash bytea NOT NULL,
    payload bytea,
    PRIMARY KEY (chain_id, seq)
) PARTITION BY LIST (chain_id);
ALTER TABLE raw_blocks ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE INDEX raw_blocks_chain_id_block_number_idx ON raw_blocks (chain_id, block_number);

CREATE TABLE raw_traces (
    chain_id bigint NOT NULL,
    block_hash bytea NOT NULL,
    block_number bigint NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (chain_id, block_hash)
) PARTITION BY LIST (chain_id);
ALTER TABLE raw_traces ALTER COLUMN payload SET STORAGE EXTERNAL;

CREATE TABLE untraced_ranges (
    chain_id bigint NOT NULL,
    from_block bigint NOT NULL,
    to_block bigint NOT NULL,
    PRIMARY KEY (chain_id, from_block)
);

CREATE TABLE trace_retries (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    due_at bigint,
    PRIMARY KEY (chain_id, block_number)
);
CREATE INDEX trace_retries_chain_id_due_at_idx ON trace_retries (chain_id, due_at);

CREATE TABLE raw_token_answers (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    answers text,
    attempted_at bigint,
    empty_answers integer NOT NULL DEFAULT 0,
    next_attempt_at bigint,
    node_failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (chain_id, address)
) PARTITION BY LIST (chain_id);
CREATE INDEX raw_token_answers_chain_id_next_attempt_at_idx ON raw_token_answers (chain_id, next_attempt_at);

-- EVM chains: blocks. In the largest tables, block numbers have 4 bytes, and columns of a fixed width are first, so that no bytes between
-- columns are lost.

CREATE TABLE evm_blocks (
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    parent_hash bytea NOT NULL,
    block_timestamp bigint NOT NULL,
    block_timestamp_milliseconds bigint,
    block_min_delay_excess numeric(20),
    tx_count integer NOT NULL,
    base_fee numeric(78) NOT NULL,
    gas_used bigint NOT NULL,
    gas_limit numeric(20) NOT NULL,
    gas_cost numeric(78) NOT NULL,
    fees_spent numeric(78) NOT NULL,
    cumulative_transactions bigint NOT NULL,
    state_root bytea NOT NULL,
    receipts_root bytea NOT NULL,
    miner bytea NOT NULL,
    size_bytes integer NOT NULL,
    PRIMARY KEY (chain_id, block_number)
) PARTITION BY LIST (chain_id);
CREATE UNIQUE INDEX evm_blocks_chain_id_block_hash_key ON evm_blocks (chain_id, block_hash);
CREATE INDEX evm_blocks_chain_id_block_timestamp_idx ON evm_blocks (chain_id, block_timestamp);

CREATE TABLE evm_ext_data (
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    block_timestamp bigint NOT NULL,
    ext_data bytea NOT NULL,
    PRIMARY KEY (chain_id, block_number)
) PARTITION BY LIST (chain_id);

-- The hash index stores 4 bytes of each hash. It cannot be unique, so the indexer checks that hashes are new.
CREATE TABLE evm_transactions (
    chain_id bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    gas_used bigint NOT NULL,
    cumulative_gas_used bigint NOT NULL,
    block_number integer NOT NULL,
    block_index integer NOT NULL,
    log_count integer NOT NULL,
    tx_type smallint NOT NULL,
    tx_status smallint NOT NULL,
    tx_hash bytea NOT NULL,
    block_hash bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea,
    nonce numeric(20) NOT NULL,
    value numeric(78) NOT NULL,
    gas_limit numeric(20) NOT NULL,
    gas_price numeric(78) NOT NULL,
    max_fee_per_gas numeric(78),
    max_priority_fee_per_gas numeric(78),
    input bytea NOT NULL,
    contract_address bytea,
    PRIMARY KEY (chain_id, block_number, block_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX evm_transactions_tx_hash_idx ON evm_transactions USING hash (tx_hash);
CREATE INDEX evm_transactions_from_address_block_number_block_index_idx ON evm_transactions (from_address, block_number, block_index);
CREATE INDEX evm_transactions_to_address_block_number_block_index_idx ON evm_transactions (to_address, block_number, block_index);
CREATE INDEX evm_transactions_contract_address_idx
    ON evm_transactions (chain_id, contract_address, block_number)
    WHERE contract_address IS NOT NULL AND tx_status = 1;

-- core/formats/stored-logs.ts describes topics and data. Topics that a log does not have are empty instead of NULL: a row without NULL is
-- 8 bytes smaller.
CREATE TABLE evm_logs (
    chain_id bigint NOT NULL,
    block_number integer NOT NULL,
    log_index integer NOT NULL,
    block_index integer NOT NULL,
    address bytea NOT NULL,
    topic0 bytea NOT NULL,
    topic1 bytea NOT NULL,
    topic2 bytea NOT NULL,
    topic3 bytea NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (chain_id, block_number, log_index)
) PARTITION BY LIST (chain_id);

CREATE TABLE evm_internal_transactions (
    chain_id bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    block_number integer NOT NULL,
    block_index integer NOT NULL,
    trace_index integer NOT NULL,
    is_reverted boolean NOT NULL,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea,
    internal_tx_type text NOT NULL,
    opcode text NOT NULL,
    value numeric(78) NOT NULL,
    gas_used numeric(20) NOT NULL,
    gas_limit numeric(20) NOT NULL,
    PRIMARY KEY (chain_id, block_number, block_index, trace_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX evm_internal_transactions_sender_idx
    ON evm_internal_transactions (from_address, block_number, block_index, trace_index)
    WHERE internal_tx_type <> 'UNKNOWN';
CREATE INDEX evm_internal_transactions_recipient_idx
    ON evm_internal_transactions (to_address, block_number, block_index, trace_index)
    WHERE internal_tx_type <> 'UNKNOWN';

CREATE TABLE evm_deployments (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    block_number bigint NOT NULL,
    block_index integer NOT NULL,
    trace_index integer NOT NULL,
    tx_hash bytea NOT NULL,
    creator_address bytea NOT NULL,
    opcode text NOT NULL,
    PRIMARY KEY (chain_id, address, block_number, block_index, trace_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX evm_deployments_chain_id_block_number_block_index_trace_ind_idx
    ON evm_deployments (chain_id, block_number, block_index, trace_index);

CREATE TABLE icm_events (
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    log_index integer NOT NULL,
    block_index integer NOT NULL,
    block_timestamp bigint NOT NULL,
    tx_hash bytea NOT NULL,
    event text NOT NULL,
    direction text,
    message_id bytea NOT NULL,
    blockchain_id bytea,
    messenger_address bytea NOT NULL,
    message_nonce numeric(78),
    origin_sender_address bytea,
    destination_address bytea,
    required_gas_limit numeric(78),
    PRIMARY KEY (chain_id, block_number, log_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX icm_events_chain_id_block_number_block_index_log_index_idx ON icm_events (chain_id, block_number, block_index, log_index);
CREATE INDEX icm_events_message_idx ON icm_events (message_id, block_timestamp, chain_id, block_number, log_index);
CREATE INDEX icm_events_message_direction_idx
    ON icm_events (message_id, direction, block_timestamp, chain_id, block_number, log_index)
    WHERE direction IS NOT NULL;

-- EVM chains: tokens. The search finds tokens by the first 200 characters of their names and symbols, in lower case and in byte order, the
-- oldest contract first. In every locale, the collation C changes the letters A to Z only.

CREATE TABLE erc20_tokens (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    first_block_number bigint NOT NULL,
    metadata_status text NOT NULL DEFAULT 'PENDING',
    name text NOT NULL DEFAULT '',
    symbol text NOT NULL DEFAULT '',
    decimals integer NOT NULL DEFAULT 0,
    PRIMARY KEY (chain_id, address)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc20_tokens_chain_id_metadata_status_first_block_number_idx ON erc20_tokens (chain_id, metadata_status, first_block_number);
CREATE INDEX erc20_tokens_symbol_search_idx
    ON erc20_tokens (chain_id, lower("left"(symbol, 200) COLLATE "C"), first_block_number, address)
    WHERE symbol <> '';
CREATE INDEX erc20_tokens_name_search_idx
    ON erc20_tokens (chain_id, lower("left"(name, 200) COLLATE "C"), first_block_number, address)
    WHERE name <> '';

CREATE TABLE erc20_transfers (
    chain_id bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    block_number integer NOT NULL,
    log_index integer NOT NULL,
    block_index integer NOT NULL,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea NOT NULL,
    token_address bytea NOT NULL,
    value numeric(78) NOT NULL,
    PRIMARY KEY (chain_id, block_number, log_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc20_transfers_from_address_block_number_log_index_idx ON erc20_transfers (from_address, block_number, log_index);
CREATE INDEX erc20_transfers_to_address_block_number_log_index_idx ON erc20_transfers (to_address, block_number, log_index);
CREATE INDEX erc20_transfers_token_address_block_number_log_index_idx ON erc20_transfers (token_address, block_number, log_index);

-- Each pair of token and address has a number, which the balances have instead of both. The index of the highest balances includes what
-- decides for most addresses whether a balance was above a threshold in a time frame.
CREATE TABLE erc20_holders (
    chain_id bigint NOT NULL,
    token_address bytea NOT NULL,
    address bytea NOT NULL,
    balance numeric(96) NOT NULL,
    max_balance numeric(96) NOT NULL,
    max_block_number bigint NOT NULL,
    first_block_number bigint NOT NULL,
    last_block_number bigint NOT NULL,
    past_block_numbers bigint[],
    past_balances numeric(96)[],
    max_end_block_number bigint,
    second_balance numeric(96),
    holder_id integer NOT NULL,
    PRIMARY KEY (chain_id, token_address, address) INCLUDE (balance, holder_id, first_block_number, last_block_number)
) PARTITION BY LIST (chain_id);
CREATE UNIQUE INDEX erc20_holders_chain_id_holder_id_key ON erc20_holders (chain_id, holder_id);
CREATE INDEX erc20_holders_balance_idx ON erc20_holders (chain_id, token_address, balance, address) WHERE balance > 0;
CREATE INDEX erc20_holders_max_balance_idx
    ON erc20_holders (chain_id, token_address, max_balance, address)
    INCLUDE (balance, holder_id, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance);
CREATE INDEX erc20_holders_address_idx ON erc20_holders (chain_id, address, token_address) INCLUDE (balance) WHERE balance > 0;

CREATE TABLE erc20_balances (
    chain_id bigint NOT NULL,
    holder_id integer NOT NULL,
    block_number integer NOT NULL,
    balance numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, holder_id, block_number) INCLUDE (balance)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc20_balances_chain_id_block_number_idx ON erc20_balances (chain_id, block_number);

CREATE TABLE erc20_supplies (
    chain_id bigint NOT NULL,
    token_address bytea NOT NULL,
    block_number bigint NOT NULL,
    holder_count bigint NOT NULL,
    total_supply numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, block_number)
) PARTITION BY LIST (chain_id);

CREATE TABLE nft_contracts (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    first_block_number bigint NOT NULL,
    metadata_status text NOT NULL DEFAULT 'PENDING',
    name text NOT NULL DEFAULT '',
    symbol text NOT NULL DEFAULT '',
    PRIMARY KEY (chain_id, address)
) PARTITION BY LIST (chain_id);
CREATE INDEX nft_contracts_chain_id_metadata_status_first_block_number_idx ON nft_contracts (chain_id, metadata_status, first_block_number);
CREATE INDEX nft_contracts_symbol_search_idx
    ON nft_contracts (chain_id, lower("left"(symbol, 200) COLLATE "C"), first_block_number, address)
    WHERE symbol <> '';
CREATE INDEX nft_contracts_name_search_idx
    ON nft_contracts (chain_id, lower("left"(name, 200) COLLATE "C"), first_block_number, address)
    WHERE name <> '';

CREATE TABLE nft_items (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    erc_type text NOT NULL,
    first_block_number bigint NOT NULL,
    metadata_state text NOT NULL DEFAULT 'PENDING',
    PRIMARY KEY (chain_id, address, token_id, erc_type)
) PARTITION BY LIST (chain_id);
CREATE INDEX nft_items_chain_id_metadata_state_first_block_number_idx ON nft_items (chain_id, metadata_state, first_block_number);

CREATE TABLE nft_metadata (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    erc_type text NOT NULL,
    token_uri text NOT NULL,
    index_status text NOT NULL,
    metadata_last_updated_timestamp bigint,
    name text,
    symbol text,
    image_uri text,
    description text,
    animation_uri text,
    external_url text,
    background text,
    attributes text,
    decimals integer,
    properties text,
    attempts integer NOT NULL,
    next_attempt_at bigint,
    node_failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (chain_id, address, token_id, erc_type)
) PARTITION BY LIST (chain_id);
CREATE INDEX nft_metadata_chain_id_next_attempt_at_idx ON nft_metadata (chain_id, next_attempt_at);

CREATE TABLE erc721_transfers (
    chain_id bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    block_number integer NOT NULL,
    log_index integer NOT NULL,
    block_index integer NOT NULL,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    PRIMARY KEY (chain_id, block_number, log_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc721_transfers_from_address_block_number_log_index_idx ON erc721_transfers (from_address, block_number, log_index);
CREATE INDEX erc721_transfers_to_address_block_number_log_index_idx ON erc721_transfers (to_address, block_number, log_index);
CREATE INDEX erc721_transfers_token_address_token_id_block_number_log_in_idx
    ON erc721_transfers (token_address, token_id, block_number, log_index);

CREATE TABLE erc1155_transfers (
    chain_id bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    block_number integer NOT NULL,
    log_index integer NOT NULL,
    batch_index integer NOT NULL,
    block_index integer NOT NULL,
    block_hash bytea NOT NULL,
    tx_hash bytea NOT NULL,
    operator_address bytea NOT NULL,
    from_address bytea NOT NULL,
    to_address bytea NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    value numeric(78) NOT NULL,
    PRIMARY KEY (chain_id, block_number, log_index, batch_index)
) PARTITION BY LIST (chain_id);
CREATE INDEX erc1155_transfers_from_address_block_number_log_index_batch_idx
    ON erc1155_transfers (from_address, block_number, log_index, batch_index);
CREATE INDEX erc1155_transfers_to_address_block_number_log_index_batch_i_idx
    ON erc1155_transfers (to_address, block_number, log_index, batch_index);
CREATE INDEX erc1155_transfers_token_address_token_id_block_number_log_i_idx
    ON erc1155_transfers (token_address, token_id, block_number, log_index, batch_index);

CREATE TABLE nft_holdings (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    token_address bytea NOT NULL,
    token_id numeric(78) NOT NULL,
    erc_type text NOT NULL,
    balance numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, address, token_address, token_id, erc_type)
) PARTITION BY LIST (chain_id);

CREATE TABLE nft_holders (
    chain_id bigint NOT NULL,
    token_address bytea NOT NULL,
    address bytea NOT NULL,
    balance numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, address) INCLUDE (balance)
) PARTITION BY LIST (chain_id);
CREATE INDEX nft_holders_balance_idx ON nft_holders (chain_id, token_address, balance, address);

CREATE TABLE nft_supplies (
    chain_id bigint NOT NULL,
    token_address bytea NOT NULL,
    block_number bigint NOT NULL,
    holder_count bigint NOT NULL,
    total_supply numeric(96) NOT NULL,
    PRIMARY KEY (chain_id, token_address, block_number)
) PARTITION BY LIST (chain_id);

-- EVM chains: activity

CREATE TABLE evm_addresses (
    chain_id bigint NOT NULL,
    address bytea NOT NULL,
    first_block_number bigint NOT NULL,
    last_block_number bigint NOT NULL,
    last_block_timestamp bigint NOT NULL,
    transaction_count bigint NOT NULL,
    PRIMARY KEY (chain_id, address)
) PARTITION BY LIST (chain_id);

CREATE TABLE evm_block_activity (
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    block_timestamp bigint NOT NULL,
    active_in_hour integer NOT NULL,
    active_in_day integer NOT NULL,
    active_in_week integer NOT NULL,
    active_in_month integer NOT NULL,
    new_addresses integer NOT NULL,
    new_contracts integer NOT NULL,
    erc20_transfers integer NOT NULL,
    PRIMARY KEY (chain_id, block_number)
) PARTITION BY LIST (chain_id);

CREATE TABLE evm_activity (
    chain_id bigint NOT NULL,
    "interval" text NOT NULL,
    period_start bigint NOT NULL,
    blocks bigint NOT NULL,
    transactions bigint NOT NULL,
    gas_used numeric(78) NOT NULL,
    fees_spent numeric(78) NOT NULL,
    active_addresses bigint NOT NULL,
    new_addresses bigint NOT NULL,
    new_contracts bigint NOT NULL,
    erc20_transfers bigint NOT NULL,
    PRIMARY KEY (chain_id, "interval", period_start)
);

-- Prices

CREATE TABLE prices (
    asset text NOT NULL,
    currency text NOT NULL,
    "timestamp" bigint NOT NULL,
    value numeric(60, 30) NOT NULL,
    PRIMARY KEY (asset, currency, "timestamp")
);

-- The primary network: the P-Chain, the X-Chain and the atomic transactions of the C-Chain

CREATE TABLE primary_networks (
    network_id bigint NOT NULL,
    hrp text NOT NULL,
    genesis_hash bytea NOT NULL,
    genesis_timestamp bigint NOT NULL,
    x_chain_id bytea NOT NULL,
    c_chain_id bytea NOT NULL,
    avax_asset_id bytea NOT NULL,
    rules text NOT NULL,
    PRIMARY KEY (network_id)
);

CREATE TABLE primary_heads (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    raw_seq bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    container_id bytea NOT NULL,
    block_timestamp bigint NOT NULL,
    tx_count bigint NOT NULL,
    rows_version integer NOT NULL,
    PRIMARY KEY (network_id, chain)
);

CREATE TABLE primary_progress (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    state text NOT NULL,
    reason text,
    node_block_number bigint,
    fetched_block_number bigint,
    blocks_per_second double precision NOT NULL,
    updated_at bigint NOT NULL,
    head_seen_at bigint,
    PRIMARY KEY (network_id, chain)
);

-- Answers of nodes, from which all other rows can be computed again.
CREATE TABLE primary_raw_blocks (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    seq bigint NOT NULL,
    is_vertex boolean NOT NULL,
    payload bytea NOT NULL,
    accepted_at bigint,
    is_time_known boolean NOT NULL DEFAULT false,
    PRIMARY KEY (network_id, chain, seq)
) PARTITION BY LIST (network_id);

CREATE TABLE primary_blocks (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    block_number bigint NOT NULL,
    block_hash bytea NOT NULL,
    parent_hash bytea NOT NULL,
    block_type text NOT NULL,
    block_timestamp bigint NOT NULL,
    tx_hashes bytea[],
    size_bytes integer NOT NULL,
    proposer_id bytea,
    proposer_parent_id bytea,
    proposer_node_id bytea,
    proposer_pchain_height bigint,
    proposer_timestamp bigint,
    node_id bytea,
    l1_validators_accrued_fees numeric(20),
    active_l1_validators integer,
    current_supply numeric(20),
    PRIMARY KEY (network_id, chain, block_number)
) PARTITION BY LIST (network_id);
CREATE INDEX primary_blocks_network_id_chain_node_id_block_number_idx ON primary_blocks (network_id, chain, node_id, block_number);
CREATE INDEX primary_blocks_network_id_chain_block_timestamp_block_numbe_idx
    ON primary_blocks (network_id, chain, block_timestamp, block_number);
CREATE UNIQUE INDEX primary_blocks_network_id_chain_block_hash_key ON primary_blocks (network_id, chain, block_hash);

CREATE TABLE x_chain_vertices (
    network_id bigint NOT NULL,
    vertex_index bigint NOT NULL,
    vertex_hash bytea NOT NULL,
    parent_hashes bytea[],
    vertex_height bigint NOT NULL,
    vertex_timestamp bigint NOT NULL,
    tx_hashes bytea[],
    size_bytes integer NOT NULL,
    earliest_timestamp bigint,
    PRIMARY KEY (network_id, vertex_index)
) PARTITION BY LIST (network_id);
CREATE UNIQUE INDEX x_chain_vertices_network_id_vertex_hash_key ON x_chain_vertices (network_id, vertex_hash);

CREATE TABLE x_chain_vertex_times (
    network_id bigint NOT NULL,
    includes_c_chain boolean NOT NULL,
    estimated_count bigint NOT NULL,
    exact_from bigint NOT NULL,
    tx_count bigint NOT NULL,
    PRIMARY KEY (network_id)
);

-- The primary network: transactions

CREATE TABLE primary_transactions (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    tx_seq bigint NOT NULL,
    tx_hash bytea NOT NULL,
    tx_type text NOT NULL,
    block_number bigint,
    block_hash bytea,
    vertex_index bigint,
    block_timestamp bigint NOT NULL,
    memo bytea NOT NULL,
    source_chain bytea,
    destination_chain bytea,
    consumed_utxo_ids bytea[],
    emitted_utxo_ids bytea[],
    burned_asset_ids bytea[],
    burned_amounts numeric(30)[],
    l1_balance_burned numeric(20) NOT NULL,
    start_timestamp bigint,
    end_timestamp bigint,
    delegation_shares integer,
    node_id bytea,
    subnet_id bytea,
    reward_addresses bytea[],
    staking_tx_hash bytea,
    bls_public_key bytea,
    bls_proof_of_possession bytea,
    details text,
    PRIMARY KEY (network_id, chain, tx_seq)
) PARTITION BY LIST (network_id);
CREATE INDEX primary_transactions_network_id_chain_block_timestamp_tx_se_idx
    ON primary_transactions (network_id, chain, block_timestamp, tx_seq);
CREATE UNIQUE INDEX primary_transactions_network_id_tx_hash_key ON primary_transactions (network_id, tx_hash);

CREATE TABLE primary_address_transactions (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    address bytea NOT NULL,
    tx_seq bigint NOT NULL,
    tx_type text NOT NULL,
    block_timestamp bigint NOT NULL,
    PRIMARY KEY (network_id, chain, address, tx_seq)
) PARTITION BY LIST (network_id);

CREATE TABLE primary_repeated_transactions (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    block_number bigint NOT NULL,
    tx_seq bigint NOT NULL,
    tx_hash bytea NOT NULL,
    block_hash bytea NOT NULL,
    block_timestamp bigint NOT NULL,
    PRIMARY KEY (network_id, chain, block_number, tx_seq)
) PARTITION BY LIST (network_id);

-- Contradictions that consensus accepted.
CREATE TABLE primary_exceptions (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    tx_seq bigint NOT NULL,
    exception_index integer NOT NULL,
    tx_hash bytea NOT NULL,
    utxo_id bytea,
    kind text NOT NULL,
    PRIMARY KEY (network_id, chain, tx_seq, exception_index)
) PARTITION BY LIST (network_id);

-- Outputs with one owner are in an index of the unspent or of the spent ones. The index of the unspent ones has all columns of a balance.
-- Outputs with several owners may not fit into an entry of these indexes.
CREATE TABLE utxos (
    network_id bigint NOT NULL,
    utxo_id bytea NOT NULL,
    tx_hash bytea NOT NULL,
    output_index bigint NOT NULL,
    asset_id bytea NOT NULL,
    output_type text NOT NULL,
    amount numeric(20) NOT NULL,
    locktime numeric(20) NOT NULL,
    threshold bigint NOT NULL,
    addresses bytea[],
    stakeable_locktime numeric(20),
    group_id bigint,
    payload bytea,
    role text NOT NULL,
    reward_type text,
    stake_start bigint,
    stake_end bigint,
    created_on_chain text NOT NULL,
    chain text NOT NULL,
    created_block_number bigint,
    created_timestamp bigint,
    consumed_tx_hash bytea,
    consumed_block_number bigint,
    consumed_timestamp bigint,
    PRIMARY KEY (network_id, utxo_id)
) PARTITION BY LIST (network_id);
CREATE INDEX utxos_unspent_idx
    ON utxos (network_id, addresses, created_on_chain, chain, asset_id, stake_start, stake_end, locktime, stakeable_locktime, created_timestamp, amount)
    WHERE consumed_timestamp IS NULL AND cardinality(addresses) = 1;
CREATE INDEX utxos_spent_idx
    ON utxos (network_id, addresses, created_on_chain, consumed_timestamp)
    WHERE consumed_timestamp IS NOT NULL AND cardinality(addresses) = 1;
CREATE INDEX utxos_shared_idx ON utxos USING gin (addresses) WHERE cardinality(addresses) <> 1;

CREATE TABLE primary_assets (
    network_id bigint NOT NULL,
    asset_id bytea NOT NULL,
    name text NOT NULL,
    symbol text NOT NULL,
    denomination integer NOT NULL,
    asset_type text NOT NULL,
    cap text NOT NULL,
    create_timestamp bigint NOT NULL,
    PRIMARY KEY (network_id, asset_id)
) PARTITION BY LIST (network_id);

-- The primary network: staking

CREATE TABLE p_chain_states (
    network_id bigint NOT NULL,
    chain_timestamp bigint NOT NULL,
    current_supply numeric(20) NOT NULL,
    fee_capacity numeric(20) NOT NULL,
    fee_excess numeric(20) NOT NULL,
    l1_fee_excess numeric(20) NOT NULL,
    l1_accrued_fees numeric(20) NOT NULL,
    active_l1_validators integer NOT NULL,
    staker_count bigint NOT NULL,
    reward_count bigint NOT NULL,
    subnet_count bigint NOT NULL,
    blockchain_count bigint NOT NULL,
    l1_validator_count bigint NOT NULL,
    PRIMARY KEY (network_id)
);

CREATE TABLE stakers (
    network_id bigint NOT NULL,
    tx_hash bytea NOT NULL,
    staker_seq bigint NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    is_permissioned boolean NOT NULL,
    subnet_id bytea NOT NULL,
    node_id bytea NOT NULL,
    weight numeric(20) NOT NULL,
    start_timestamp bigint NOT NULL,
    end_timestamp bigint NOT NULL,
    start_priority integer NOT NULL,
    shares integer,
    bls_public_key bytea,
    bls_proof_of_possession bytea,
    validator_tx_hash bytea,
    output_count integer NOT NULL,
    stake_count integer NOT NULL,
    stake_asset_id bytea,
    reward_owner text,
    share_owner text,
    reward_addresses bytea[],
    potential_reward numeric(20),
    accrued_share numeric(20) NOT NULL,
    reward_tx_hash bytea,
    is_rewarded boolean,
    ended_timestamp bigint,
    remove_tx_hash bytea,
    paid_reward numeric(20) NOT NULL,
    paid_share numeric(20) NOT NULL,
    next_period bigint,
    auto_compound_shares integer,
    restaked_reward numeric(20),
    restaked_share numeric(20),
    PRIMARY KEY (network_id, tx_hash)
) PARTITION BY LIST (network_id);
CREATE INDEX stakers_network_id_node_id_kind_start_timestamp_staker_seq_idx
    ON stakers (network_id, node_id, kind, start_timestamp, staker_seq);
CREATE INDEX stakers_network_id_subnet_id_kind_start_timestamp_staker_se_idx
    ON stakers (network_id, subnet_id, kind, start_timestamp, staker_seq);
CREATE INDEX stakers_network_id_kind_start_timestamp_staker_seq_idx ON stakers (network_id, kind, start_timestamp, staker_seq);
CREATE INDEX stakers_network_id_kind_status_start_timestamp_staker_seq_idx
    ON stakers (network_id, kind, status, start_timestamp, staker_seq);
CREATE INDEX stakers_network_id_validator_tx_hash_idx ON stakers (network_id, validator_tx_hash);

CREATE TABLE staker_owners (
    network_id bigint NOT NULL,
    address bytea NOT NULL,
    kind text NOT NULL,
    start_timestamp bigint NOT NULL,
    staker_seq bigint NOT NULL,
    tx_hash bytea NOT NULL,
    PRIMARY KEY (network_id, address, kind, start_timestamp, staker_seq)
) PARTITION BY LIST (network_id);

CREATE TABLE primary_rewards (
    network_id bigint NOT NULL,
    reward_seq bigint NOT NULL,
    utxo_id bytea NOT NULL,
    output_index bigint NOT NULL,
    staking_tx_hash bytea NOT NULL,
    reward_tx_hash bytea NOT NULL,
    reward_type text NOT NULL,
    node_id bytea NOT NULL,
    subnet_id bytea NOT NULL,
    amount_staked numeric(20) NOT NULL,
    start_timestamp bigint NOT NULL,
    end_timestamp bigint NOT NULL,
    asset_id bytea NOT NULL,
    amount numeric(20) NOT NULL,
    addresses bytea[],
    reward_timestamp bigint NOT NULL,
    PRIMARY KEY (network_id, reward_seq)
) PARTITION BY LIST (network_id);
CREATE INDEX primary_rewards_network_id_node_id_end_timestamp_reward_seq_idx
    ON primary_rewards (network_id, node_id, end_timestamp, reward_seq);

CREATE TABLE reward_owners (
    network_id bigint NOT NULL,
    address bytea NOT NULL,
    end_timestamp bigint NOT NULL,
    reward_seq bigint NOT NULL,
    node_id bytea NOT NULL,
    PRIMARY KEY (network_id, address, end_timestamp, reward_seq)
) PARTITION BY LIST (network_id);

-- The primary network: subnets, their blockchains and validators

CREATE TABLE subnets (
    network_id bigint NOT NULL,
    subnet_id bytea NOT NULL,
    subnet_seq bigint NOT NULL,
    create_block_number bigint NOT NULL,
    create_timestamp bigint NOT NULL,
    create_owner_addresses bytea[],
    create_owner_threshold bigint NOT NULL,
    create_owner_locktime numeric(20) NOT NULL,
    owner_addresses bytea[],
    owner_threshold bigint NOT NULL,
    owner_locktime numeric(20) NOT NULL,
    conversion_tx_hash bytea,
    conversion_timestamp bigint,
    manager_chain_id bytea,
    manager_address bytea,
    transform_tx_hash bytea,
    staking_asset_id bytea,
    current_supply numeric(20),
    maximum_supply numeric(20),
    min_consumption_rate numeric(20),
    max_consumption_rate numeric(20),
    PRIMARY KEY (network_id, subnet_id)
) PARTITION BY LIST (network_id);
CREATE INDEX subnets_network_id_subnet_seq_idx ON subnets (network_id, subnet_seq);

CREATE TABLE blockchains (
    network_id bigint NOT NULL,
    blockchain_id bytea NOT NULL,
    blockchain_seq bigint NOT NULL,
    subnet_id bytea NOT NULL,
    create_block_number bigint NOT NULL,
    create_timestamp bigint NOT NULL,
    vm_id bytea NOT NULL,
    name text NOT NULL,
    genesis_data bytea NOT NULL,
    evm_chain_id numeric(78),
    PRIMARY KEY (network_id, blockchain_id)
) PARTITION BY LIST (network_id);
CREATE INDEX blockchains_network_id_subnet_id_blockchain_seq_idx ON blockchains (network_id, subnet_id, blockchain_seq);

CREATE TABLE l1_validators (
    network_id bigint NOT NULL,
    validation_id bytea NOT NULL,
    validator_seq bigint NOT NULL,
    subnet_id bytea NOT NULL,
    node_id bytea NOT NULL,
    weight numeric(20) NOT NULL,
    creation_timestamp bigint NOT NULL,
    bls_public_key bytea NOT NULL,
    bls_proof_of_possession bytea NOT NULL,
    remaining_balance_owner_addresses bytea[],
    remaining_balance_owner_threshold bigint NOT NULL,
    deactivation_owner_addresses bytea[],
    deactivation_owner_threshold bigint NOT NULL,
    min_nonce numeric(20) NOT NULL,
    end_accumulated_fee numeric(20) NOT NULL,
    is_active boolean NOT NULL,
    is_removed boolean NOT NULL,
    PRIMARY KEY (network_id, validation_id)
) PARTITION BY LIST (network_id);
CREATE INDEX l1_validators_network_id_validator_seq_idx ON l1_validators (network_id, validator_seq);
CREATE INDEX l1_validators_network_id_is_active_validator_seq_idx ON l1_validators (network_id, is_active, validator_seq);
CREATE INDEX l1_validators_network_id_subnet_id_validator_seq_idx ON l1_validators (network_id, subnet_id, validator_seq);
CREATE INDEX l1_validators_network_id_node_id_validator_seq_idx ON l1_validators (network_id, node_id, validator_seq);

CREATE TABLE l1_validator_transactions (
    network_id bigint NOT NULL,
    validation_id bytea NOT NULL,
    tx_seq bigint NOT NULL,
    tx_type text NOT NULL,
    block_timestamp bigint NOT NULL,
    PRIMARY KEY (network_id, validation_id, tx_seq)
) PARTITION BY LIST (network_id);

CREATE TABLE validator_weights (
    network_id bigint NOT NULL,
    subnet_id bytea NOT NULL,
    entry_id bytea NOT NULL,
    block_number bigint NOT NULL,
    until_block bigint NOT NULL,
    weight numeric(20) NOT NULL,
    node_id bytea,
    bls_public_key bytea,
    PRIMARY KEY (network_id, subnet_id, entry_id, block_number)
) PARTITION BY LIST (network_id);
CREATE INDEX validator_weights_network_id_subnet_id_until_block_idx ON validator_weights (network_id, subnet_id, until_block);

-- Exports, and the page tokens of the metrics lists

CREATE TABLE operations (
    operation_id uuid NOT NULL,
    owner text NOT NULL,
    operation_type text NOT NULL,
    operation_status text NOT NULL,
    is_cancelled boolean NOT NULL DEFAULT false,
    message text,
    code text,
    next_date text,
    request text NOT NULL,
    request_hash bytea NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    expires_at bigint,
    row_count bigint NOT NULL DEFAULT 0,
    byte_count bigint NOT NULL DEFAULT 0,
    total_rows bigint,
    sha256 bytea,
    file_name text,
    checkpoint text,
    version bigint NOT NULL DEFAULT 1,
    cancel_token_hash bytea,
    PRIMARY KEY (operation_id)
);
CREATE INDEX operations_owner_created_at_operation_id_idx ON operations (owner, created_at, operation_id);
CREATE INDEX operations_expires_at_idx ON operations (expires_at);
CREATE UNIQUE INDEX operations_running_request_key
    ON operations (owner, request_hash)
    WHERE operation_status = 'RUNNING' AND NOT is_cancelled;
CREATE UNIQUE INDEX operations_cancel_token_hash_key ON operations (cancel_token_hash);

CREATE TABLE idempotency_keys (
    owner text NOT NULL,
    key text NOT NULL,
    operation_id uuid NOT NULL REFERENCES operations (operation_id) ON UPDATE CASCADE ON DELETE CASCADE,
    request_hash bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_keys_operation_id_idx ON idempotency_keys (operation_id);

CREATE TABLE metrics_page_tokens (
    token uuid NOT NULL,
    request text NOT NULL,
    cursor text NOT NULL,
    expires_at bigint NOT NULL,
    head bigint NOT NULL,
    PRIMARY KEY (token)
);
CREATE INDEX metrics_page_tokens_expires_at_idx ON metrics_page_tokens (expires_at);
