import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { descending } from "../../shared/rows/keyset.ts";
import { statementOf } from "../../shared/rows/nested-list.ts";
import { rangedSelect } from "./ranged-select.ts";

const CHAIN = 7;
const ROWS = 20_000;
const SIZE = 10;
const MAX = "9223372036854775807";
const MAX_INT = "2147483647";
const SELF = `\\x${"aa".repeat(20)}`;

/** Sends two of three transfers, and receives each second one: it also sends to itself. */
const self = `'${SELF}'::bytea`;
const isSent = (n: number): boolean => n % 3 > 0;
const isReceived = (n: number): boolean => n % 2 === 0;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  for (const table of ["evm_blocks", "erc20_transfers"])
    await pool.query(`CREATE TABLE ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`);
  // Ten blocks have the same time.
  await pool.query(`INSERT INTO evm_blocks (chain_id, block_number, block_timestamp, block_hash, parent_hash, tx_count, base_fee, gas_used,
      gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
    SELECT ${CHAIN}, n, n / 10, int4send(n), '', 0, 0, 0, 0, 0, 0, 0, '', '', '', 0 FROM generate_series(1, ${ROWS}) n`);
  await pool.query(`INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
      from_address, to_address, token_address, value)
    SELECT ${CHAIN}, n, 0, 0, n / 10, '', '', CASE WHEN n % 3 > 0 THEN ${self} ELSE int4send(n) END,
      CASE WHEN n % 2 = 0 THEN ${self} ELSE int4send(n) END, '', 1
    FROM generate_series(1, ${ROWS}) n`);
  await pool.query("VACUUM ANALYZE");
});
afterAll(() => database[Symbol.asyncDispose]());

const TABLE = {
  table: "erc20_transfers",
  columns: `block_number::bigint AS "blockNumber", log_index AS "logIndex", from_address AS "from"`,
  order: descending({ block_number: "bigint", log_index: "int" }),
};
const SENT = { where: "t.from_address = k.address" };
const RECEIVED = { where: "t.to_address = k.address" };
const SELECTS = {
  BOTH: [SENT, { ...RECEIVED, unless: `"from" <> k.address` }],
  SENT: [SENT],
  RECEIVED: [RECEIVED],
};

/** [from block, to block, from time, to time, position]. */
const CASES = [
  ["the beginning", false, ["0", MAX, "0", MAX], [MAX, MAX_INT]],
  ["a position", false, ["0", MAX, "0", MAX], ["10000", "0"]],
  ["the end of a range of blocks", false, ["100", "5000", "0", MAX], [MAX, MAX_INT]],
  ["the end of a range of times", false, ["0", MAX, "300", "500"], [MAX, MAX_INT]],
  ["a position in a range of times", false, ["0", MAX, "300", "500"], ["3005", "0"]],
  ["the end, backward", true, ["0", MAX, "0", MAX], ["-9223372036854775808", "-2147483648"]],
  [
    "the start of a range of blocks, backward",
    true,
    ["100", "5000", "0", MAX],
    ["-9223372036854775808", "-2147483648"],
  ],
  ["the start of a range of times, backward", true, ["0", MAX, "300", "500"], ["-9223372036854775808", "-2147483648"]],
  ["a position in a range of times, backward", true, ["0", MAX, "300", "500"], ["4995", "0"]],
  ["nothing: the range is after all blocks", false, ["0", MAX, "99999", MAX], [MAX, MAX_INT]],
  [
    "nothing: the range is before all blocks, backward",
    true,
    ["0", "1", "0", MAX],
    ["-9223372036854775808", "-2147483648"],
  ],
] as const;

const parametersOf = (range: readonly string[], position: readonly string[]) => [
  CHAIN,
  ...[SELF, ...range, ...position, SIZE].map((value) => [value]),
];

describe("a page of a ranged list", () => {
  describe.each(Object.entries(SELECTS))("%s", (name, parts) => {
    const select = rangedSelect({ ...TABLE, key: { address: "bytea" }, parts });

    it.each(CASES)("from %s reads only its rows, by index", async (_, isBackward, range, position) => {
      const statement = statementOf(select, isBackward);
      const values = parametersOf(range, position);
      const { rows } = await database.pool.query<{ blockNumber: string }>(statement, values);
      const numbers = rows.map(({ blockNumber }) => Number(blockNumber));
      const [from, to, fromTime, toTime] = range.map((text) => Number(text));
      const expected = Array.from({ length: ROWS }, (_, index) => index + 1)
        .filter(
          (n) =>
            n >= (from ?? 0) &&
            n < (to ?? 0) &&
            Math.floor(n / 10) >= (fromTime ?? 0) &&
            Math.floor(n / 10) < (toTime ?? 0),
        )
        .filter((n) => (isBackward ? n > Number(position[0]) : n < Number(position[0])))
        .filter((n) => (name !== "RECEIVED" && isSent(n)) || (name !== "SENT" && isReceived(n)))
        .sort((a, b) => (isBackward ? a - b : b - a))
        .slice(0, SIZE + 1);
      expect(numbers).toEqual(expected);
      for (const scans of [
        await scansOf(database.pool, statement, values),
        await scansOfGenericPlan(database.pool, statement, values),
      ]) {
        const read = scans.filter(({ table }) => table.startsWith("erc20_transfers"));
        expect(read).toHaveLength(name === "BOTH" ? 2 : 1);
        for (const { kind, rows: found, removed } of read)
          expect([kind, found + removed <= SIZE + 1]).toEqual(["Index Scan", true]);
        for (const { kind, rows: found } of scans.filter(({ table }) => table.startsWith("evm_blocks")))
          expect([kind.replace(" Only", ""), found <= 64]).toEqual(["Index Scan", true]);
      }
    });
  });
});
