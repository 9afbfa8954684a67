/** Values of a row by the type of the column. Bytes are hex digits without `0x`. */
export interface ColumnValues {
  readonly int: number | bigint;
  readonly text: string;
  readonly bool: boolean;
  readonly bytes: string;
  readonly "bytes[]": readonly string[];
  readonly "int[]": readonly bigint[];
}

type ColumnType = keyof ColumnValues | "int?" | "text?" | "bool?" | "bytes?";
type Columns = Readonly<Record<string, ColumnType>>;
type Value<Type extends ColumnType> = Type extends `${infer Base extends keyof ColumnValues}?`
  ? ColumnValues[Base] | null
  : Type extends keyof ColumnValues
    ? ColumnValues[Type]
    : never;

const block = { chain: "text", block_number: "int", block_hash: "bytes" } as const;

/** The tables that a replay fills, each with its columns after `network_id`. */
export const TABLES = {
  primary_blocks: {
    ...block,
    parent_hash: "bytes",
    block_type: "text",
    block_timestamp: "int",
    tx_hashes: "bytes[]",
    size_bytes: "int",
    proposer_id: "bytes?",
    proposer_parent_id: "bytes?",
    proposer_node_id: "bytes?",
    proposer_pchain_height: "int?",
    proposer_timestamp: "int?",
    node_id: "bytes?",
    l1_validators_accrued_fees: "int?",
    active_l1_validators: "int?",
    current_supply: "int?",
  },
  x_chain_vertices: {
    vertex_index: "int",
    vertex_hash: "bytes",
    parent_hashes: "bytes[]",
    vertex_height: "int",
    vertex_timestamp: "int",
    earliest_timestamp: "int?",
    tx_hashes: "bytes[]",
    size_bytes: "int",
  },
  primary_transactions: {
    chain: "text",
    tx_seq: "int",
    tx_hash: "bytes",
    tx_type: "text",
    block_number: "int?",
    block_hash: "bytes?",
    vertex_index: "int?",
    block_timestamp: "int",
    memo: "bytes",
    source_chain: "bytes?",
    destination_chain: "bytes?",
    consumed_utxo_ids: "bytes[]",
    emitted_utxo_ids: "bytes[]",
    burned_asset_ids: "bytes[]",
    burned_amounts: "int[]",
    l1_balance_burned: "int",
    start_timestamp: "int?",
    end_timestamp: "int?",
    delegation_shares: "int?",
    node_id: "bytes?",
    subnet_id: "bytes?",
    reward_addresses: "bytes[]",
    staking_tx_hash: "bytes?",
    bls_public_key: "bytes?",
    bls_proof_of_possession: "bytes?",
    details: "text?",
  },
  primary_address_transactions: {
    chain: "text",
    address: "bytes",
    tx_seq: "int",
    tx_type: "text",
    block_timestamp: "int",
  },
  primary_repeated_transactions: { ...block, tx_seq: "int", tx_hash: "bytes", block_timestamp: "int" },
  primary_exceptions: {
    chain: "text",
    tx_seq: "int",
    exception_index: "int",
    tx_hash: "bytes",
    utxo_id: "bytes?",
    kind: "text",
  },
  l1_validator_transactions: { validation_id: "bytes", tx_seq: "int", tx_type: "text", block_timestamp: "int" },
  utxos: {
    utxo_id: "bytes",
    tx_hash: "bytes",
    output_index: "int",
    asset_id: "bytes",
    output_type: "text",
    amount: "int",
    locktime: "int",
    threshold: "int",
    addresses: "bytes[]",
    stakeable_locktime: "int?",
    group_id: "int?",
    payload: "bytes?",
    role: "text",
    reward_type: "text?",
    stake_start: "int?",
    stake_end: "int?",
    created_on_chain: "text",
    chain: "text",
    created_block_number: "int?",
    created_timestamp: "int?",
    consumed_tx_hash: "bytes?",
    consumed_block_number: "int?",
    consumed_timestamp: "int?",
  },
  primary_assets: {
    asset_id: "bytes",
    name: "text",
    symbol: "text",
    denomination: "int",
    asset_type: "text",
    cap: "text",
    create_timestamp: "int",
  },
  stakers: {
    tx_hash: "bytes",
    staker_seq: "int",
    kind: "text",
    status: "text",
    is_permissioned: "bool",
    subnet_id: "bytes",
    node_id: "bytes",
    weight: "int",
    start_timestamp: "int",
    end_timestamp: "int",
    start_priority: "int",
    shares: "int?",
    bls_public_key: "bytes?",
    bls_proof_of_possession: "bytes?",
    validator_tx_hash: "bytes?",
    output_count: "int",
    stake_count: "int",
    stake_asset_id: "bytes?",
    reward_owner: "text?",
    share_owner: "text?",
    reward_addresses: "bytes[]",
    potential_reward: "int?",
    accrued_share: "int",
    reward_tx_hash: "bytes?",
    is_rewarded: "bool?",
    ended_timestamp: "int?",
    remove_tx_hash: "bytes?",
    paid_reward: "int",
    paid_share: "int",
    next_period: "int?",
    auto_compound_shares: "int?",
    restaked_reward: "int?",
    restaked_share: "int?",
  },
  staker_owners: { address: "bytes", kind: "text", start_timestamp: "int", staker_seq: "int", tx_hash: "bytes" },
  primary_rewards: {
    reward_seq: "int",
    utxo_id: "bytes",
    output_index: "int",
    staking_tx_hash: "bytes",
    reward_tx_hash: "bytes",
    reward_type: "text",
    node_id: "bytes",
    subnet_id: "bytes",
    amount_staked: "int",
    start_timestamp: "int",
    end_timestamp: "int",
    asset_id: "bytes",
    amount: "int",
    addresses: "bytes[]",
    reward_timestamp: "int",
  },
  reward_owners: { address: "bytes", end_timestamp: "int", reward_seq: "int", node_id: "bytes" },
  subnets: {
    subnet_id: "bytes",
    subnet_seq: "int",
    create_block_number: "int",
    create_timestamp: "int",
    create_owner_addresses: "bytes[]",
    create_owner_threshold: "int",
    create_owner_locktime: "int",
    owner_addresses: "bytes[]",
    owner_threshold: "int",
    owner_locktime: "int",
    conversion_tx_hash: "bytes?",
    conversion_timestamp: "int?",
    manager_chain_id: "bytes?",
    manager_address: "bytes?",
    transform_tx_hash: "bytes?",
    staking_asset_id: "bytes?",
    current_supply: "int?",
    maximum_supply: "int?",
    min_consumption_rate: "int?",
    max_consumption_rate: "int?",
  },
  blockchains: {
    blockchain_id: "bytes",
    blockchain_seq: "int",
    subnet_id: "bytes",
    create_block_number: "int",
    create_timestamp: "int",
    vm_id: "bytes",
    name: "text",
    genesis_data: "bytes",
    evm_chain_id: "int?",
  },
  l1_validators: {
    validation_id: "bytes",
    validator_seq: "int",
    subnet_id: "bytes",
    node_id: "bytes",
    weight: "int",
    creation_timestamp: "int",
    bls_public_key: "bytes",
    bls_proof_of_possession: "bytes",
    remaining_balance_owner_addresses: "bytes[]",
    remaining_balance_owner_threshold: "int",
    deactivation_owner_addresses: "bytes[]",
    deactivation_owner_threshold: "int",
    min_nonce: "int",
    end_accumulated_fee: "int",
    is_active: "bool",
    is_removed: "bool",
  },
  validator_weights: {
    subnet_id: "bytes",
    entry_id: "bytes",
    block_number: "int",
    until_block: "int",
    weight: "int",
    node_id: "bytes?",
    bls_public_key: "bytes?",
  },
} as const satisfies Readonly<Record<string, Columns>>;

export type Table = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as Table[];
export type RowOf<Name extends Table> = {
  -readonly [Column in keyof (typeof TABLES)[Name]]: (typeof TABLES)[Name][Column] extends ColumnType
    ? Value<(typeof TABLES)[Name][Column]>
    : never;
};

/**
 * Keys of the tables whose rows change. Rows of `utxos`, `primary_exceptions`, and of transactions that are repeated or
 * decided, change by statements of their own. Rows of all other tables are only inserted.
 */
export const KEYS = {
  stakers: "tx_hash",
  subnets: "subnet_id",
  l1_validators: "validation_id",
  validator_weights: "subnet_id, entry_id, block_number",
} as const;
export type MutableTable = keyof typeof KEYS;
