import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { scansOfGenericPlan } from "../../test/support/database/plans.ts";
import { WARP_PRECOMPILE } from "../codec/log-data.ts";
import { EVM_HEADS, PRIMARY_HEADS } from "./heads.ts";
import { LOGS } from "./logs.ts";
import { BLOCKS, STATEMENTS } from "./p-chain.ts";
import { PROPOSED_HEIGHT } from "./validator-sets.ts";

const COUNT = 5_000;
const PARTITIONS: readonly (readonly [table: string, key: number])[] = [
  ...[
    "primary_blocks",
    "primary_transactions",
    "primary_raw_blocks",
    "l1_validator_transactions",
    "subnets",
    "blockchains",
  ].map((table) => [table, 5] as const),
  ["evm_logs", 9],
  ["evm_transactions", 9],
];

const FILL: readonly string[] = [
  ...PARTITIONS.map(([table, key]) => `CREATE TABLE ${table}_${key} PARTITION OF ${table} FOR VALUES IN (${key})`),
  `INSERT INTO primary_blocks (network_id, chain, block_number, block_hash, parent_hash, block_type, block_timestamp, tx_hashes, size_bytes)
   SELECT 5, 'P', n, sha256(n::text::bytea), '\\x', 'BanffStandardBlock', n, '{}', 1 FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO primary_transactions (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_timestamp, memo,
     consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, l1_balance_burned, reward_addresses)
   SELECT 5, 'P', n, sha256(n::text::bytea), 'BaseTx', n, n, '\\x', '{}', '{}', '{}', '{}', 0, '{}' FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO primary_raw_blocks SELECT 5, 'P', n, false, '\\x00', NULL FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO l1_validator_transactions SELECT 5, sha256((n % 500)::text::bytea), n, 'SetL1ValidatorWeightTx', n FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO subnets (network_id, subnet_id, subnet_seq, create_block_number, create_timestamp, create_owner_addresses,
     create_owner_threshold, create_owner_locktime, owner_addresses, owner_threshold, owner_locktime, conversion_tx_hash)
   SELECT 5, sha256(n::text::bytea), n, n, n, '{}', 1, 0, '{}', 1, 0, sha256(n::text::bytea) FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO blockchains SELECT 5, sha256(n::text::bytea), n, sha256(n::text::bytea), n, n, '\\x', 'chain', '\\x00', NULL
   FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO evm_logs (chain_id, block_number, log_index, block_index, address, topic0, topic1, topic2, topic3, data) SELECT 9, n / 100, n % 100, n % 100 / 5,
     CASE WHEN n % 10 = 0 THEN '\\x${WARP_PRECOMPILE}'::bytea ELSE sha256((n % 7)::text::bytea) END, '', '', '', '', '\\x00'
   FROM generate_series(0, ${COUNT}) n`,
  `INSERT INTO evm_transactions (chain_id, block_number, block_index, tx_hash, block_hash, block_timestamp, from_address, tx_type, tx_status,
     nonce, value, gas_limit, gas_used, cumulative_gas_used, gas_price, input, log_count)
   SELECT 9, n / 20, n % 20, sha256(n::text::bytea), '\\x', n, '\\x', 2, 1, n, n, n, n, n, n, '\\x', 5 FROM generate_series(0, ${COUNT} / 5) n`,
  "VACUUM ANALYZE",
];

describe("statements of the index", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (const statement of FILL) await database.pool.query(statement);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  // SHA-256 of "40".
  const id = "\\xd59eced1ded07f84c145592f65bdf854358e009c5cd705f5215bf18697fed103";
  const ids = ["5", `${id},${id}`];
  it.each([
    ...Object.entries(STATEMENTS).map(([name, statement]) => [name, statement, ids] as const),
    ["blocks", BLOCKS, ["5", "40,41"]],
    ["logs", LOGS, ["9", "20,20", "1,11"]],
    ["heads", PRIMARY_HEADS, ["5", "P,X"]],
    ["heads of EVM chains", EVM_HEADS, ["9"]],
    ["proposed height", PROPOSED_HEIGHT, ["5", String(COUNT - 30)]],
  ] as const)("read only the rows that they need: %s", async (name, statement, values) => {
    // The first value is the network or chain.
    const arrays = values.map((value, at) => (at === 0 || name === "proposed height" ? value : value.split(",")));
    const scans = await scansOfGenericPlan(database.pool, statement, arrays);
    const wasteful = scans.filter(
      ({ table, rows, removed }) => !/heads|progress/.test(table) && (rows > 64 || removed > 20),
    );
    expect(wasteful).toEqual([]);
    expect(scans.map(({ table }) => table)).not.toEqual([]);
  });
});
