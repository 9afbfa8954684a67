/** Seconds between the blocks of a synthetic chain, and the time of its first block. */
export const BLOCK_SECONDS = 2;
export const FIRST_TIMESTAMP = 1_600_000_000;

/** Without parallel workers, the random numbers are the same in every run. */
export const SESSION: readonly string[] = [
  "SET max_parallel_workers_per_gather = 0",
  "SET work_mem = '256MB'",
  "SET maintenance_work_mem = '256MB'",
  "SELECT setseed(0.5)",
];

/** A synthetic address, as SQL. */
export const addressOf = (kind: string, number: string): string =>
  `substring(sha256(('${kind}' || (${number}))::bytea), 1, 20)`;

/**
 * Makes the partition of a table for an EVM chain or a primary network, fills it, and adds it to the table, which makes the indexes. `key` is the
 * column of the chain or network.
 */
export const filled = (
  table: string,
  id: number,
  fill: string,
  key: "chain_id" | "network_id" = "chain_id",
): string[] => [
  `CREATE TABLE ${table}_${id} (LIKE ${table} INCLUDING DEFAULTS)`,
  fill,
  `ALTER TABLE ${table}_${id} ADD CHECK (${key} = ${id})`,
  `ALTER TABLE ${table} ATTACH PARTITION ${table}_${id} FOR VALUES IN (${id})`,
];

/** The blocks 0 to `last` of a chain without anything in them, and its head. */
export const fillBlocks = (chainId: number, last: number): string[] => [
  ...filled(
    "evm_blocks",
    chainId,
    `INSERT INTO evm_blocks_${chainId} (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee,
       gas_used, gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     SELECT ${chainId}, n, sha256(('${chainId} ' || n)::bytea), sha256(('${chainId} ' || n - 1)::bytea),
       ${FIRST_TIMESTAMP} + n * ${BLOCK_SECONDS}, 0, 0, 0, 0, 0, 0, 0, '\\x', '\\x', '\\x', 0
     FROM generate_series(0, ${last}) n`,
  ),
  `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp,
     cumulative_transactions, rows_version)
   SELECT chain_id, block_hash, 0, block_number, block_hash, block_timestamp, 0, 1
   FROM evm_blocks WHERE chain_id = ${chainId} AND block_number = ${last}`,
  // Without activity, the chain would count as one that is not indexed.
  `INSERT INTO evm_activity VALUES (${chainId}, 'MONTH', ${FIRST_TIMESTAMP}, ${last}, 0, 0, 0, 0, 0, 0, 0)`,
];
