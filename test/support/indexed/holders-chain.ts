import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";

/** A chain whose rows of holders are written by SQL. Its last block is `HOLDERS_HEAD`; block n has the time 1,000 + 2n. */
export const HOLDERS_CHAIN = "77011";
export const HOLDERS_HEAD = 9_999;
/** A token with 20,000 holders, each of which has changed its balance three times. Their rows have one past balance. */
export const LARGE_TOKEN = `0x${"aa".repeat(20)}`;
/** A token with as many changes in the same blocks. The rows of its holders have all past balances. */
export const OTHER_TOKEN = `0x${"cc".repeat(20)}`;
/** A token without holders, to which tests add balances. */
export const SMALL_TOKEN = `0x${"bb".repeat(20)}`;

export const HOLDERS_CONFIG = testConfig({
  evmChains: [{ chainId: Number(HOLDERS_CHAIN), network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "Holders" }],
});

const TABLES = ["evm_blocks", "erc20_balances", "erc20_holders", "erc20_supplies", "nft_holders", "nft_supplies"];
const LARGE = `'\\x${LARGE_TOKEN.slice(2)}'::bytea`;
const OTHER = `'\\x${OTHER_TOKEN.slice(2)}'::bytea`;

const FILL: readonly string[] = [
  ...TABLES.map(
    (table) => `CREATE TABLE ${table}_${HOLDERS_CHAIN} PARTITION OF ${table} FOR VALUES IN (${HOLDERS_CHAIN})`,
  ),
  `INSERT INTO evm_blocks SELECT ${HOLDERS_CHAIN}, n, int8send(n), '', 1000 + 2 * n, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, '', '', '', 0
   FROM generate_series(0, ${HOLDERS_HEAD}) n`,
  `CREATE TABLE changes AS SELECT token, dense_rank() OVER (ORDER BY token, n) AS holder_id,
     substring(sha256(n::text::bytea), 1, 20) AS address, 1 + (n * 7 + change * 3001) % 9000 AS block_number,
     (n * 7919 + change * 104729) % 1000003 * (change % 3)::numeric AS balance
   FROM generate_series(1, 20000) n, generate_series(1, 3) change, unnest(ARRAY[${LARGE}, ${OTHER}]) token`,
  `INSERT INTO erc20_balances SELECT ${HOLDERS_CHAIN}, holder_id, block_number, balance FROM changes`,
  `INSERT INTO erc20_holders SELECT ${HOLDERS_CHAIN}, token, address, (array_agg(balance ORDER BY block_number DESC))[1],
     max(balance), (array_agg(block_number ORDER BY balance DESC, block_number))[1], min(block_number), max(block_number),
     (array_agg(block_number ORDER BY block_number))[CASE WHEN token = ${LARGE} THEN 2 ELSE 1 END:2],
     (array_agg(balance ORDER BY block_number))[CASE WHEN token = ${LARGE} THEN 2 ELSE 1 END:2],
     (array_agg(next_block ORDER BY balance DESC, block_number))[1], (array_agg(balance ORDER BY balance DESC, block_number))[2],
     holder_id
   FROM (SELECT *, lead(block_number) OVER (PARTITION BY holder_id ORDER BY block_number) AS next_block
     FROM changes) AS b GROUP BY token, address, holder_id`,
  "DROP TABLE changes",
  "INSERT INTO nft_holders SELECT chain_id, token_address, address, balance FROM erc20_holders WHERE balance > 0",
  `INSERT INTO chain_heads VALUES (${HOLDERS_CHAIN}, '', 1, ${HOLDERS_HEAD}, int8send(${HOLDERS_HEAD}), ${1_000 + 2 * HOLDERS_HEAD}, 0)`,
  `INSERT INTO evm_activity VALUES (${HOLDERS_CHAIN}, 'MONTH', 0, 9999, 0, 0, 0, 0, 0, 0, 0)`,
  "VACUUM ANALYZE",
];

/** A database with the rows that the indexer keeps of this chain. */
export function createHoldersDatabase(): Promise<TestDatabase> {
  return createFilledDatabase("holders", async ({ pool }) => {
    for (const statement of FILL) await pool.query(statement);
  });
}

/** A balance after a block, which becomes the last indexed one. */
export interface BalanceAfter {
  readonly address: string;
  readonly block: number;
  readonly balance: bigint;
}

/** Writes a balance of `SMALL_TOKEN`, as the indexer would. The block must follow the last indexed one or be the same. */
export async function addBalance({ pool }: TestDatabase, { address, block, balance }: BalanceAfter): Promise<void> {
  const token = `\\x${SMALL_TOKEN.slice(2)}`;
  const holder = `\\x${address.slice(2)}`;
  await pool.query(
    `INSERT INTO evm_blocks SELECT $1, $2::bigint, int8send($2::bigint), '', 1000 + 2 * $2::bigint, NULL, NULL, 0, 0, 0, 0, 0, 0, 0,
       '', '', '', 0 ON CONFLICT DO NOTHING`,
    [HOLDERS_CHAIN, block],
  );
  await pool.query(
    `UPDATE chain_heads SET block_number = $2::bigint, block_hash = int8send($2::bigint), block_timestamp = 1000 + 2 * $2::bigint
     WHERE chain_id = $1`,
    [HOLDERS_CHAIN, block],
  );
  const amount = balance.toString();
  await pool.query(
    `INSERT INTO erc20_holders AS h VALUES ($1, $2, $3, $4, $4, $5, $5, $5, NULL, NULL, NULL, NULL,
         (SELECT max(holder_id) + 1 FROM erc20_holders WHERE chain_id = $1))
       ON CONFLICT (chain_id, token_address, address)
       DO UPDATE SET balance = excluded.balance, max_balance = greatest(h.max_balance, excluded.balance),
         max_block_number = CASE WHEN excluded.balance > h.max_balance THEN $5 ELSE h.max_block_number END,
         max_end_block_number = CASE WHEN excluded.balance <= h.max_balance THEN coalesce(h.max_end_block_number, $5) END,
         second_balance = CASE WHEN excluded.balance > h.max_balance THEN h.max_balance
           ELSE greatest(h.second_balance, excluded.balance) END,
         last_block_number = $5, past_block_numbers = (h.past_block_numbers || h.last_block_number)[greatest(cardinality(h.past_block_numbers), 1):],
         past_balances = (h.past_balances || h.balance)[greatest(cardinality(h.past_balances), 1):]`,
    [HOLDERS_CHAIN, token, holder, amount, block],
  );
  await pool.query(
    `INSERT INTO erc20_balances SELECT chain_id, holder_id, $4, $5 FROM erc20_holders
     WHERE chain_id = $1 AND token_address = $2 AND address = $3`,
    [HOLDERS_CHAIN, token, holder, block, amount],
  );
}
