import type { BinaryType, BinaryValue } from "../../shared/binary-rows.ts";

/** The tables that blocks are decoded into, and the types of their columns in the order of the decoded values. */
export const COLUMN_TYPES = {
  evm_blocks: {
    chain_id: "bigint",
    block_number: "bigint",
    block_hash: "bytea",
    parent_hash: "bytea",
    block_timestamp: "bigint",
    block_timestamp_milliseconds: "bigint",
    block_min_delay_excess: "numeric",
    tx_count: "integer",
    base_fee: "numeric",
    gas_used: "bigint",
    gas_limit: "numeric",
    gas_cost: "numeric",
    fees_spent: "numeric",
    cumulative_transactions: "bigint",
    state_root: "bytea",
    receipts_root: "bytea",
    miner: "bytea",
    size_bytes: "integer",
  },
  evm_transactions: {
    chain_id: "bigint",
    block_number: "integer",
    block_index: "integer",
    tx_hash: "bytea",
    block_hash: "bytea",
    block_timestamp: "bigint",
    from_address: "bytea",
    to_address: "bytea",
    tx_type: "smallint",
    tx_status: "smallint",
    nonce: "numeric",
    value: "numeric",
    gas_limit: "numeric",
    gas_used: "bigint",
    cumulative_gas_used: "bigint",
    gas_price: "numeric",
    max_fee_per_gas: "numeric",
    max_priority_fee_per_gas: "numeric",
    input: "bytea",
    contract_address: "bytea",
    log_count: "integer",
  },
  evm_logs: {
    chain_id: "bigint",
    block_number: "integer",
    log_index: "integer",
    block_index: "integer",
    address: "bytea",
    topic0: "bytea",
    topic1: "bytea",
    topic2: "bytea",
    topic3: "bytea",
    data: "bytea",
  },
  erc20_transfers: {
    chain_id: "bigint",
    block_number: "integer",
    log_index: "integer",
    block_index: "integer",
    block_timestamp: "bigint",
    block_hash: "bytea",
    tx_hash: "bytea",
    from_address: "bytea",
    to_address: "bytea",
    token_address: "bytea",
    value: "numeric",
  },
  erc721_transfers: {
    chain_id: "bigint",
    block_number: "integer",
    log_index: "integer",
    block_index: "integer",
    block_timestamp: "bigint",
    block_hash: "bytea",
    tx_hash: "bytea",
    from_address: "bytea",
    to_address: "bytea",
    token_address: "bytea",
    token_id: "numeric",
  },
  erc1155_transfers: {
    chain_id: "bigint",
    block_number: "integer",
    log_index: "integer",
    batch_index: "integer",
    block_index: "integer",
    block_timestamp: "bigint",
    block_hash: "bytea",
    tx_hash: "bytea",
    operator_address: "bytea",
    from_address: "bytea",
    to_address: "bytea",
    token_address: "bytea",
    token_id: "numeric",
    value: "numeric",
  },
  icm_events: {
    chain_id: "bigint",
    block_number: "bigint",
    log_index: "integer",
    block_index: "integer",
    block_timestamp: "bigint",
    tx_hash: "bytea",
    event: "text",
    direction: "text",
    message_id: "bytea",
    blockchain_id: "bytea",
    messenger_address: "bytea",
    message_nonce: "numeric",
    origin_sender_address: "bytea",
    destination_address: "bytea",
    required_gas_limit: "numeric",
  },
  evm_ext_data: {
    chain_id: "bigint",
    block_number: "bigint",
    block_hash: "bytea",
    block_timestamp: "bigint",
    ext_data: "bytea",
  },
  evm_internal_transactions: {
    chain_id: "bigint",
    block_number: "integer",
    block_index: "integer",
    trace_index: "integer",
    block_timestamp: "bigint",
    block_hash: "bytea",
    tx_hash: "bytea",
    from_address: "bytea",
    to_address: "bytea",
    internal_tx_type: "text",
    opcode: "text",
    value: "numeric",
    is_reverted: "boolean",
    gas_used: "numeric",
    gas_limit: "numeric",
  },
  evm_deployments: {
    chain_id: "bigint",
    address: "bytea",
    block_number: "bigint",
    block_index: "integer",
    trace_index: "integer",
    tx_hash: "bytea",
    creator_address: "bytea",
    opcode: "text",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, BinaryType>>>>;

export type Table = keyof typeof COLUMN_TYPES;

/** The tables. */
export const TABLES = Object.keys(COLUMN_TYPES) as Table[];

/** The columns of each table, in the same order. */
export const COLUMNS = Object.fromEntries(
  TABLES.map((table) => [table, Object.keys(COLUMN_TYPES[table])]),
) as unknown as {
  readonly [Name in Table]: readonly (keyof (typeof COLUMN_TYPES)[Name])[];
};

/** A number or its decimal text, hex digits without `0x`, a boolean, a text of ASCII characters, or null. */
export type Value = Exclude<BinaryValue, Buffer>;
export type Row = readonly Value[];

/** The rows of the named tables. */
export type RowsOf<Name extends Table> = Readonly<Record<Name, readonly Row[]>>;

/**
 * Version of the decoding code. Rows of another version are computed again from the raw block store, so increase it with every
 * change of the rows that are computed from a block.
 */
export const ROWS_VERSION = 5;
