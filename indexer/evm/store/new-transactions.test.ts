import { asSuperuser, createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import type { Session } from "../../shared/writer.ts";
import { requireNewTransactions } from "./new-transactions.ts";

const CHAIN = "7";
const ROWS = 20_000;
/** As many as some full blocks have. */
const NEW = 2_000;

/** A hash that ends with a number. */
const hashOf = (number: number): string => number.toString(16).padStart(64, "0");

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  await pool.query(`CREATE TABLE evm_transactions_${CHAIN} PARTITION OF evm_transactions FOR VALUES IN (${CHAIN})`);
  await pool.query(`ALTER TABLE evm_transactions_${CHAIN} SET (autovacuum_enabled = false)`);
  const hash = "decode(lpad(to_hex(i), 64, '0'), 'hex')";
  await pool.query(
    `INSERT INTO evm_transactions (chain_id, block_number, block_index, tx_hash, block_hash, block_timestamp, from_address, tx_type,
       tx_status, nonce, value, gas_limit, gas_used, cumulative_gas_used, gas_price, input, log_count)
     SELECT ${CHAIN}, i, 0, ${hash}, ${hash}, i, '\\x00', 0, 1, 1, 0, 1, 1, 1, 1, '', 0 FROM generate_series(1, ${ROWS}) AS i`,
  );
});
afterAll(() => database[Symbol.asyncDispose]());

/** A block with transactions of these hashes. */
function blockOf(hashes: readonly string[]) {
  return { number: ROWS + 1, transactionHashes: hashes };
}

/** Checks a block with these transactions. Returns the statements and their values. */
async function check(hashes: readonly string[]): Promise<[statement: string, values: readonly unknown[]][]> {
  const sent: [string, readonly unknown[]][] = [];
  const session: Pick<Session, "query"> = {
    async query(text, values = []) {
      sent.push([text, values]);
      return (await database.pool.query(text, [...values])).rows;
    },
  };
  await requireNewTransactions(session as Session, CHAIN, [blockOf(hashes)]);
  return sent;
}

const newHashes = Array.from({ length: NEW }, (_, at) => hashOf(ROWS + 1 + at));

describe("the check for transactions that are already stored", () => {
  it.each([
    ["for its values", "without statistics, as a new table is,", scansOf, "SELECT"],
    ["for any values", "without statistics, as a new table is,", scansOfGenericPlan, "SELECT"],
    ["for its values", "with statistics", scansOf, "VACUUM ANALYZE evm_transactions"],
    ["for any values", "with statistics", scansOfGenericPlan, "VACUUM ANALYZE evm_transactions"],
  ])("with a plan %s reads no row of a table %s for many new transactions", async (_plan, _table, scans, prepare) => {
    await database.pool.query(prepare);
    const [[statement, values] = ["", []], ...others] = await check(newHashes);
    expect(others).toEqual([]);
    const read = await scans(database.pool, statement, values);
    expect(read.map(({ table, rows, removed }) => [table, rows, removed])).toEqual([
      [`evm_transactions_${CHAIN}`, 0, 0],
    ]);
  });

  it("uses no other index than that of hashes in a table without statistics", async () => {
    const table = `evm_transactions_${CHAIN}`;
    await asSuperuser(database.url, "DELETE FROM pg_statistic WHERE starelid = $1::regclass", [table]);
    const [[statement, values] = ["", []]] = await check(newHashes);
    const { rows } = await database.pool.query(`EXPLAIN (FORMAT JSON) ${statement}`, [...values]);
    const indexes = [...JSON.stringify(rows).matchAll(/"Index Name":"([^"]+)"/g)].map(([, name]) => name);
    expect(indexes).toEqual([`evm_transactions_${CHAIN}_tx_hash_idx`]);
  });

  it("names the transaction that is already stored, wherever it is among new ones", async () => {
    const hashes = [...newHashes.slice(0, 100), hashOf(5), ...newHashes.slice(100)];
    await expect(check(hashes)).rejects.toThrow(
      `block ${ROWS + 1} cannot be stored: its transaction 0x${"5".padStart(64, "0")} is already stored in another place`,
    );
  });
});
