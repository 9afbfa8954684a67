import { DERIVATIONS, erc20HoldersOf } from "../../../indexer/evm/commands/gaps/compare-holdings.ts";

/** Tokens of a synthetic chain of holders: token 1 has half of all changes of balances, the others share the rest. */
const TOKENS = 1_000;
/** Changes of balances in one block, and seconds between blocks. */
const CHANGES_PER_BLOCK = 10;
export const BLOCK_SECONDS = 2;
export const FIRST_TIMESTAMP = 1_600_000_000;

/** SQL of the powers of ten from 10^0 to 10^21. */
const POWERS = `'{${Array.from({ length: 22 }, (_, exponent) => `1${"0".repeat(exponent)}`).join(",")}}'::numeric[]`;

/** The address of a token or holder, as SQL. */
const addressOf = (kind: string, number: string): string =>
  `substring(sha256(('${kind}' || (${number}))::bytea), 1, 20)`;

export const tokenAddress = (number: string): string => addressOf("token", number);
export const holderAddress = (number: string): string => addressOf("holder", number);

export const holdersOf = (changes: number): number => Math.ceil(changes / 10);
export const blocksOf = (changes: number): number => Math.ceil(changes / CHANGES_PER_BLOCK);

/**
 * Statements that fill a chain with changes of ERC-20 balances. A tenth as many holders as changes exist. Some of them change
 * often, most of them rarely, and balances are from 1 to 10^24 with all magnitudes equally frequent. Large tables are filled
 * before they become partitions, because it is faster to make their indexes from all rows.
 */
export function fillHolders(chainId: number, changes: number): string[] {
  const blocks = blocksOf(changes);
  return [
    // Without parallel workers, the random numbers are the same in every run.
    "SET max_parallel_workers_per_gather = 0",
    "SET work_mem = '256MB'",
    "SET maintenance_work_mem = '256MB'",
    "SELECT setseed(0.5)",
    ...filled(
      "evm_blocks",
      chainId,
      `INSERT INTO evm_blocks_${chainId} (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee,
         gas_used, gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
       SELECT ${chainId}, n, sha256(('${chainId} ' || n)::bytea), sha256(('${chainId} ' || n - 1)::bytea),
         ${FIRST_TIMESTAMP} + n * ${BLOCK_SECONDS}, 0, 0, 0, 0, 0, 0, 0, '\\x', '\\x', '\\x', 0
       FROM generate_series(0, ${blocks}) n`,
    ),
    `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp,
       cumulative_transactions, rows_version)
     SELECT chain_id, block_hash, 0, block_number, block_hash, block_timestamp, 0, 1
     FROM evm_blocks WHERE chain_id = ${chainId} AND block_number = ${blocks}`,
    // Without activity, the chain would count as one that is not indexed.
    `INSERT INTO evm_activity VALUES (${chainId}, 'MONTH', ${FIRST_TIMESTAMP}, ${blocks}, 0, 0, 0, 0, 0, 0, 0)`,
    ...filled(
      "erc20_tokens",
      chainId,
      `INSERT INTO erc20_tokens_${chainId} (chain_id, address, first_block_number, metadata_status, name, symbol, decimals)
       SELECT ${chainId}, ${addressOf("token", "n")}, 0, 'INDEXED', 'Token ' || n, 'T' || n, 18
       FROM generate_series(1, ${TOKENS}) n`,
    ),
    createChanges(changes),
    ...filled(
      "erc20_balances",
      chainId,
      `INSERT INTO erc20_balances_${chainId} (chain_id, holder_id, block_number, balance)
       SELECT ${chainId}, holder_id, block_number, balance FROM balance_changes`,
    ),
    ...filled(
      "erc20_holders",
      chainId,
      `INSERT INTO erc20_holders_${chainId} (chain_id, ${DERIVATIONS.erc20_holders.columns}) SELECT ${chainId}, derived.*
       FROM (${erc20HoldersOf("SELECT * FROM balance_changes")}) AS derived`,
    ),
    "DROP TABLE balance_changes",
    ...filled("nft_holdings", chainId, fillNfts(chainId, changes)),
  ];
}

/** Makes the partition of a table, fills it, and adds it to the table, which makes the indexes. */
const filled = (table: string, chainId: number, fill: string): string[] => [
  `CREATE TABLE ${table}_${chainId} (LIKE ${table} INCLUDING DEFAULTS)`,
  fill,
  `ALTER TABLE ${table}_${chainId} ADD CHECK (chain_id = ${chainId})`,
  `ALTER TABLE ${table} ATTACH PARTITION ${table}_${chainId} FOR VALUES IN (${chainId})`,
];

/**
 * Rows are in the order of blocks, as the indexer writes them. An address has one balance of a token after each block. Holders are numbered
 * in the order of the block that first changed their balance, as the indexer numbers them.
 */
const createChanges = (changes: number): string =>
  `CREATE TEMPORARY TABLE balance_changes AS
   SELECT dense_rank() OVER (ORDER BY first_block, token, holder)::int AS holder_id, ${addressOf("token", "token")} AS token_address,
     ${addressOf("holder", "holder")} AS address, block AS block_number, balance
   FROM (
     SELECT *, min(block) OVER (PARTITION BY token, holder) AS first_block
     FROM (
       SELECT DISTINCT ON (block, token, holder) block, token, holder, balance FROM (${drawnChanges(changes)}) AS change
       ORDER BY block, token, holder) AS distinct_change) AS followed
   ORDER BY block, token, holder`;

const drawnChanges = (changes: number): string =>
  `SELECT n, 1 + n / ${CHANGES_PER_BLOCK} AS block,
     CASE WHEN token < 0.5 THEN 1 ELSE 1 + floor((token - 0.5) * 2 * ${TOKENS}) END AS token,
     floor(${holdersOf(changes)} * holder * holder) AS holder,
     (1 + floor(digits * 999))::numeric * (${POWERS})[1 + floor(magnitude * 22)::int] AS balance
   FROM (SELECT n, random() AS token, random() AS holder, random() AS digits, random() AS magnitude
     FROM generate_series(0, ${changes - 1}) n) AS drawn`;

/** Each address holds up to three NFTs. */
const fillNfts = (chainId: number, changes: number): string =>
  `INSERT INTO nft_holdings_${chainId} (chain_id, address, token_address, token_id, erc_type, balance)
   SELECT ${chainId}, ${addressOf("holder", "holder")}, ${addressOf("collection", "holder % 50")}, item, 'ERC-721', 1
   FROM generate_series(0, ${holdersOf(changes) - 1}) AS holder, generate_series(1, holder % 4) AS item`;
