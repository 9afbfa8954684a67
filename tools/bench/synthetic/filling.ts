/** Number of rows that are added to the table of blocks, and to the table of transfers. */
const ROWS = 500_000;
/** Number of rows that are added to each of the other tables. */
const OTHER_ROWS = 200_000;
/** Number of the first added block, above all recorded blocks. */
const FIRST_BLOCK = 1_000;
const TRANSFERS_PER_BLOCK = 4;
const ADDRESSES = 20_000;

const hash = (seed: string, number: string): string => `sha256(('${seed}' || ${number})::bytea)`;
const address = (number: string): string => `substring(${hash("address", number)}, 1, 20)`;

/** Adds blocks to the chain `$1`, above its recorded blocks. */
export const FILL_BLOCKS = `
  INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, block_timestamp_milliseconds,
    block_min_delay_excess, tx_count, base_fee, gas_used, gas_limit, gas_cost, fees_spent, cumulative_transactions,
    state_root, receipts_root, miner, size_bytes)
  SELECT $1::bigint, n, ${hash("block", "n")}, ${hash("block", "(n - 1)")}, 1800000000 + n * 2, (1800000000 + n * 2) * 1000,
    7970124, ${TRANSFERS_PER_BLOCK}, 25000000000 + n % 1000, 60000 * ${TRANSFERS_PER_BLOCK}, 15000000, 0,
    25000000000::numeric * 60000 * ${TRANSFERS_PER_BLOCK}, n * ${TRANSFERS_PER_BLOCK}, ${hash("state", "n")},
    ${hash("receipts", "n")}, '\\x0100000000000000000000000000000000000000', 3500
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + ROWS - 1}) n`;

/** Adds four transfers to each of the first added blocks, between addresses that are not in the recording. */
export const FILL_TRANSFERS = `
  INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
    from_address, to_address, token_address, value)
  SELECT $1::bigint, b, i, i, 1800000000 + b * 2, ${hash("block", "b")}, ${hash("transaction", "(b * 4 + i)")},
    ${address(`((b * 4 + i) * 7919 % ${ADDRESSES})`)}, ${address(`((b * 4 + i) * 104729 % ${ADDRESSES})`)},
    ${address("(b % 100)")}, 1000000000000000000 + b
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + ROWS / TRANSFERS_PER_BLOCK - 1}) b,
    generate_series(0, ${TRANSFERS_PER_BLOCK - 1}) i`;

/** Copies the recorded transfers of the addresses `$2` to added blocks, so that every page of their transfers is full. */
export const FILL_WALLET = `
  INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
    from_address, to_address, token_address, value)
  SELECT chain_id, block_number + b, log_index + ${TRANSFERS_PER_BLOCK}, block_index + ${TRANSFERS_PER_BLOCK},
    block_timestamp + b * 2, ${hash("block", "(block_number + b)")}, ${hash("wallet", "(block_number + b) || ' ' || log_index")},
    from_address, to_address, token_address, value
  FROM erc20_transfers, generate_series(${FIRST_BLOCK}::bigint, ${20 * FIRST_BLOCK}, ${FIRST_BLOCK}) b
  WHERE chain_id = $1 AND block_number < ${FIRST_BLOCK} AND (from_address = ANY ($2::bytea[]) OR to_address = ANY ($2))`;

/** Address whose transfers `FILL_SELF` adds, as `0x` hex. */
export const SELF_SENDER = `0x${"5e1f".repeat(10)}`;

/** Number of transfers that `FILL_SELF` adds. */
const SELF_TRANSFERS = 100_000;

/** Adds transfers from `SELF_SENDER` to itself. A page of them must take as long as any other page. */
export const FILL_SELF = `
  INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
    from_address, to_address, token_address, value)
  SELECT $1::bigint, b, 1000, 1000, 1800000000 + b * 2, ${hash("block", "b")}, ${hash("self", "b")},
    '\\x${SELF_SENDER.slice(2)}', '\\x${SELF_SENDER.slice(2)}', ${address("(b % 100)")}, 1
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + SELF_TRANSFERS - 1}) b`;

/** Copies the recorded internal transactions of the addresses `$2` to added blocks, so that every page of them is full. */
export const FILL_CALLER = `
  INSERT INTO evm_internal_transactions (chain_id, block_number, block_index, trace_index, block_timestamp, block_hash,
    tx_hash, from_address, to_address, internal_tx_type, opcode, value, is_reverted, gas_used, gas_limit)
  SELECT chain_id, block_number + b, block_index + ${TRANSFERS_PER_BLOCK}, trace_index, block_timestamp + b * 2,
    ${hash("block", "(block_number + b)")}, ${hash("caller", "(block_number + b) || ' ' || block_index")},
    from_address, to_address, internal_tx_type, opcode, value, is_reverted, gas_used, gas_limit
  FROM evm_internal_transactions, generate_series(${FIRST_BLOCK}::bigint, ${20 * FIRST_BLOCK}, ${FIRST_BLOCK}) b
  WHERE chain_id = $1 AND block_number < ${FIRST_BLOCK} AND (from_address = ANY ($2::bytea[]) OR to_address = ANY ($2))`;

/** Adds internal transactions to the blocks that have added transfers, between the same addresses. */
export const FILL_INTERNALS = `
  INSERT INTO evm_internal_transactions (chain_id, block_number, block_index, trace_index, block_timestamp, block_hash,
    tx_hash, from_address, to_address, internal_tx_type, opcode, value, is_reverted, gas_used, gas_limit)
  SELECT $1::bigint, b, i, 1, 1800000000 + b * 2, ${hash("block", "b")}, ${hash("transaction", "(b * 4 + i)")},
    ${address(`((b * 4 + i) * 7919 % ${ADDRESSES})`)}, ${address(`((b * 4 + i) * 104729 % ${ADDRESSES})`)},
    'CALL', 'CALL', 1000000000000000000 + b, false, 21000, 90000
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + OTHER_ROWS / TRANSFERS_PER_BLOCK - 1}) b,
    generate_series(0, ${TRANSFERS_PER_BLOCK - 1}) i`;

/** Adds one deployment to each transaction of `FILL_INTERNALS`. */
export const FILL_DEPLOYMENTS = `
  INSERT INTO evm_deployments (chain_id, address, block_number, block_index, trace_index, tx_hash, creator_address, opcode)
  SELECT $1::bigint, substring(${hash("contract", "(b * 4 + i)")}, 1, 20), b, i, 1, ${hash("transaction", "(b * 4 + i)")},
    ${address(`((b * 4 + i) * 7919 % ${ADDRESSES})`)}, 'CREATE2'
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + OTHER_ROWS / TRANSFERS_PER_BLOCK - 1}) b,
    generate_series(0, ${TRANSFERS_PER_BLOCK - 1}) i`;

/** Adds the transactions to which the rows of `FILL_INTERNALS` and `FILL_DEPLOYMENTS` belong. */
export const FILL_TRANSACTIONS = `
  INSERT INTO evm_transactions (chain_id, block_number, block_index, block_timestamp, block_hash, tx_hash, tx_status,
    tx_type, gas_limit, gas_used, cumulative_gas_used, gas_price, nonce, from_address, to_address, value, input, log_count)
  SELECT $1::bigint, b, i, 1800000000 + b * 2, ${hash("block", "b")}, ${hash("transaction", "(b * 4 + i)")}, 1,
    2, 90000, 60000, 60000 * (i + 1), 25000000000, b,
    ${address(`((b * 4 + i) * 7919 % ${ADDRESSES})`)}, ${address("(b % 100)")}, 0, '\\xa9059cbb', 1
  FROM generate_series(${FIRST_BLOCK}::bigint, ${FIRST_BLOCK + OTHER_ROWS / TRANSFERS_PER_BLOCK - 1}) b,
    generate_series(0, ${TRANSFERS_PER_BLOCK - 1}) i`;
