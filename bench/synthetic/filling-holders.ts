/** Tokens of a synthetic chain of holders: token 1 has half of all changes of balances, the others share the rest. */
export const TOKENS = 1_000;
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
 * often, most of them rarely, and balances are from 1 to 10^24 with all magnitudes equally frequent.
 */
export function fillHolders(chainId: number, changes: number): string[] {
  const blocks = blocksOf(changes);
  const holders = holdersOf(changes);
  return [
    `INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee, gas_used,
       gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     SELECT ${chainId}, n, sha256(('${chainId} ' || n)::bytea), sha256(('${chainId} ' || n - 1)::bytea),
       ${FIRST_TIMESTAMP} + n * ${BLOCK_SECONDS}, 0, 0, 0, 0, 0, 0, 0, '\\x', '\\x', '\\x', 0
     FROM generate_series(0, ${blocks}) n`,
    `INSERT INTO chain_heads (chain_id, genesis_hash, journal_seq, block_number, block_hash, block_timestamp,
       cumulative_transactions, rows_version)
     SELECT chain_id, block_hash, 0, block_number, block_hash, block_timestamp, 0, 1
     FROM evm_blocks WHERE chain_id = ${chainId} AND block_number = ${blocks}`,
    // Without activity, the chain would count as one that is not indexed.
    `INSERT INTO evm_activity VALUES (${chainId}, 'MONTH', ${FIRST_TIMESTAMP}, ${blocks}, 0, 0, 0, 0, 0, 0, 0)`,
    `INSERT INTO erc20_tokens (chain_id, address, first_block_number, metadata_status, name, symbol, decimals)
     SELECT ${chainId}, ${addressOf("token", "n")}, 0, 'INDEXED', 'Token ' || n, 'T' || n, 18
     FROM generate_series(1, ${TOKENS}) n`,
    "SELECT setseed(0.5)",
    `INSERT INTO erc20_balances (chain_id, token_address, address, block_number, balance)
     SELECT ${chainId}, ${addressOf("token", `CASE WHEN token < 0.5 THEN 1 ELSE 1 + floor((token - 0.5) * 2 * ${TOKENS}) END`)},
       ${addressOf("holder", `floor(${holders} * holder * holder)`)}, 1 + n / ${CHANGES_PER_BLOCK},
       (1 + floor(digits * 999))::numeric * (${POWERS})[1 + floor(magnitude * 22)::int]
     FROM (SELECT n, random() AS token, random() AS holder, random() AS digits,
         random() AS magnitude
       FROM generate_series(0, ${changes - 1}) n) AS change
     ON CONFLICT DO NOTHING`,
  ];
}
