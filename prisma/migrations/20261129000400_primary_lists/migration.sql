-- Indexes and counters of the lists of the primary network. The indexer fills the new tables when it computes the rows again from the stored
-- blocks, at its next start.

-- Transactions of a chain by type and time.
CREATE INDEX primary_transactions_type_idx ON primary_transactions (network_id, chain, tx_type, block_timestamp, tx_seq);

-- Stakers by start, end, weight and delegation fee: of a network, of a subnet and of a node. The status is in each index, because every list
-- reads the rows of some statuses.
DROP INDEX stakers_network_id_node_id_kind_start_timestamp_staker_seq_idx;
DROP INDEX stakers_network_id_subnet_id_kind_start_timestamp_staker_se_idx;
CREATE INDEX stakers_end_idx ON stakers (network_id, kind, status, end_timestamp, staker_seq);
CREATE INDEX stakers_weight_idx ON stakers (network_id, kind, status, weight, staker_seq);
CREATE INDEX stakers_fee_idx ON stakers (network_id, kind, status, shares, staker_seq) WHERE shares IS NOT NULL;
CREATE INDEX stakers_subnet_start_idx ON stakers (network_id, subnet_id, kind, status, start_timestamp, staker_seq);
CREATE INDEX stakers_subnet_end_idx ON stakers (network_id, subnet_id, kind, status, end_timestamp, staker_seq);
CREATE INDEX stakers_subnet_weight_idx ON stakers (network_id, subnet_id, kind, status, weight, staker_seq);
CREATE INDEX stakers_subnet_fee_idx ON stakers (network_id, subnet_id, kind, status, shares, staker_seq) WHERE shares IS NOT NULL;
CREATE INDEX stakers_node_start_idx ON stakers (network_id, node_id, kind, status, start_timestamp, staker_seq);
CREATE INDEX stakers_node_end_idx ON stakers (network_id, node_id, kind, status, end_timestamp, staker_seq);
CREATE INDEX stakers_node_weight_idx ON stakers (network_id, node_id, kind, status, weight, staker_seq);
CREATE INDEX stakers_node_fee_idx ON stakers (network_id, node_id, kind, status, shares, staker_seq) WHERE shares IS NOT NULL;

-- L1 validators by registration, weight and balance: of a network and of a subnet.
CREATE INDEX l1_validators_creation_idx ON l1_validators (network_id, is_removed, is_active, creation_timestamp, validator_seq);
CREATE INDEX l1_validators_weight_idx ON l1_validators (network_id, is_removed, is_active, weight, validator_seq);
CREATE INDEX l1_validators_balance_idx ON l1_validators (network_id, is_removed, is_active, end_accumulated_fee, validator_seq);
CREATE INDEX l1_validators_subnet_creation_idx
    ON l1_validators (network_id, subnet_id, is_removed, is_active, creation_timestamp, validator_seq);
CREATE INDEX l1_validators_node_creation_idx
    ON l1_validators (network_id, node_id, is_removed, is_active, creation_timestamp, validator_seq);
CREATE INDEX l1_validators_subnet_weight_idx ON l1_validators (network_id, subnet_id, is_removed, is_active, weight, validator_seq);
CREATE INDEX l1_validators_subnet_balance_idx ON l1_validators (network_id, subnet_id, is_removed, is_active, end_accumulated_fee, validator_seq);

-- Number and weight of the stakers and L1 validators of each subnet.
CREATE TABLE validator_totals (
    network_id bigint NOT NULL,
    subnet_id bytea NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    validator_count bigint NOT NULL,
    weight numeric(30) NOT NULL,
    PRIMARY KEY (network_id, subnet_id, kind, status)
);

-- What subnets are listed by. The primary network has a row, too.
CREATE TABLE subnet_totals (
    network_id bigint NOT NULL,
    subnet_id bytea NOT NULL,
    subnet_seq bigint NOT NULL,
    kind text NOT NULL,
    validator_count bigint NOT NULL,
    delegator_count bigint NOT NULL,
    total_weight numeric(30) NOT NULL,
    PRIMARY KEY (network_id, subnet_id)
);
CREATE INDEX subnet_totals_seq_idx ON subnet_totals (network_id, kind, subnet_seq);
CREATE INDEX subnet_totals_validators_idx ON subnet_totals (network_id, kind, validator_count, subnet_seq);
CREATE INDEX subnet_totals_weight_idx ON subnet_totals (network_id, kind, total_weight, subnet_seq);

-- Outputs of an address by creation: the unspent ones with one owner are in utxos_owner_idx. Those with several owners have a table of their own.
-- The condition is written with array_length, so that PostgreSQL does not use the index for balances, whose statements have cardinality.
CREATE INDEX utxos_spent_list_idx ON utxos (network_id, addresses, chain, created_timestamp, utxo_id)
    WHERE consumed_timestamp IS NOT NULL AND array_length(addresses, 1) = 1;
CREATE TABLE utxo_owners (
    network_id bigint NOT NULL,
    address bytea NOT NULL,
    chain text NOT NULL,
    is_spent boolean NOT NULL,
    created_timestamp bigint NOT NULL,
    utxo_id bytea NOT NULL,
    PRIMARY KEY (network_id, address, chain, is_spent, created_timestamp, utxo_id)
) PARTITION BY LIST (network_id);
