import { createWork } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { createFindL1States, type L1StateKey } from "./states.ts";

const SUBNET = "ab".repeat(32);
const VALIDATION = "cd".repeat(32);
/** Two blocks a second. The validator is registered in block 1,000, and has a transaction in every block up to 8,000, when it is removed. */
const BLOCKS = 10_000;
const REGISTERED = 1_000;
const REMOVED = 8_000;
/** The price of a second is 3; the balance after the registration is one million. */
const timeOf = (block: number): number => 1_000 + Math.floor(block / 2);
const balanceAfter = (block: number): number => 1_000_000 - 3 * (timeOf(block) - timeOf(REGISTERED));
const isActiveAfter = (block: number): boolean => block < 6_000;

const TABLES = ["primary_blocks", "primary_transactions", "validator_weights", "l1_validator_transactions"];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const statement of [
    ...TABLES.map((table) => `CREATE TABLE ${table}_5 PARTITION OF ${table} FOR VALUES IN (5)`),
    `INSERT INTO primary_blocks (network_id, chain, block_number, block_hash, parent_hash, block_type, block_timestamp, tx_hashes,
       size_bytes, l1_validators_accrued_fees)
     SELECT 5, 'P', n, int8send(n), '', '', 1000 + n / 2, '{}', 1, 3 * (1000 + n / 2) FROM generate_series(0, ${BLOCKS - 1}) n`,
    `INSERT INTO primary_transactions (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_timestamp, memo,
       consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, l1_balance_burned, reward_addresses, details)
     SELECT 5, 'P', n, int8send(n), 'SetL1ValidatorWeightTx', n, 1000 + n / 2, '', '{}', '{}', '{}', '{}', 0, '{}',
       json_build_object('l1Validators', json_build_array(json_build_object('validationId', '${VALIDATION}', 'nodeId', '', 'subnetId', '',
         'weight', n::text, 'remainingBalance', (1000000 - 3 * (1000 + n / 2 - ${timeOf(REGISTERED)}))::text)))::text
     FROM generate_series(0, ${BLOCKS - 1}) n`,
    // Every third block has no transaction of the validation.
    `INSERT INTO l1_validator_transactions SELECT 5, '\\x${VALIDATION}', n, '', 1000 + n / 2
     FROM generate_series(${REGISTERED}, ${REMOVED}) n WHERE n = ${REGISTERED} OR n % 3 <> 0`,
    `INSERT INTO validator_weights SELECT 5, '\\x${SUBNET}', '\\x${VALIDATION}', n, n + 1, n,
       CASE WHEN n < 6000 THEN '\\x01'::bytea END, NULL FROM generate_series(${REGISTERED}, ${REMOVED - 1}) n`,
    "VACUUM ANALYZE",
  ])
    await database.pool.query(statement);
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

const key = (block: number): L1StateKey => ({
  networkId: "5",
  subnetId: `0x${SUBNET}`,
  validationId: `0x${VALIDATION}`,
  blockNumber: String(block),
  blockTimestamp: String(timeOf(block)),
});

it("an L1 validator has the weight of its set, and the balance after its last transaction without the fees since then", async () => {
  const blocks = [0, 999, 1_000, 1_001, 1_002, 1_003, 4_321, 5_999, 6_000, 7_999, 8_000, 9_999];
  const find = createFindL1States(database);
  let found: Awaited<ReturnType<typeof find>> = [];
  const statements = await statementsOf(async () => {
    found = await find(blocks.map(key), createWork());
  });
  expect(statements).toHaveLength(1);
  const expected = blocks
    .filter((block) => block >= REGISTERED && block < REMOVED)
    .map((block) => ({
      ...key(block),
      weight: String(block),
      isActive: isActiveAfter(block),
      remainingBalance: isActiveAfter(block) ? String(balanceAfter(block)) : "0",
    }));
  expect(found).toEqual(expected);
});

it.each([
  ["for its values", scansOf],
  ["for any values", scansOfGenericPlan],
])(
  "a state reads a fixed number of rows by index, however many transactions the validation has: plan %s",
  async (_, scans) => {
    const [statement = ""] = await statementsOf(() =>
      createFindL1States(database)([key(4_321)], createWork()).then(() => undefined),
    );
    const bytes = (hex: string) => (scans === scansOf ? `\\x${hex}` : `"\\\\x${hex}"`);
    for (const block of [REGISTERED, 4_321, REMOVED - 1, 20]) {
      const values = ["5", [bytes(SUBNET)], [bytes(VALIDATION)], [String(block)], [String(timeOf(block))]];
      const found = (await scans(database.pool, statement, values)).filter(({ table }: Scan) => table.endsWith("_5"));
      expect(found.map(({ kind }) => kind)).not.toContain("Seq Scan");
      for (const { rows, removed } of found) expect(rows + removed).toBeLessThanOrEqual(2);
    }
  },
);
