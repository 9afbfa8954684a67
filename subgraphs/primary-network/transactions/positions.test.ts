import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { keysetOf } from "../../shared/rows/keyset.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { TransactionFilter } from "./filter.ts";
import { pageKindOf, pageValues, positions } from "./positions.ts";
import { TRANSACTION_ORDER } from "./rows.ts";

const OWNERS = 200;
const TRANSACTIONS = 6_000;
const hexOf = (owner: number): string => `0x${owner.toString(16).padStart(40, "0")}`;
const bytesOf = (owner: string): string => `decode(lpad(to_hex(${owner}), 40, '0'), 'hex')`;
const random = (...of: readonly string[]): string =>
  `('x' || substr(md5(${of.join(" || ' ' || ")}), 1, 7))::bit(28)::int`;

/** Owner 0 has all transactions, each later one fewer. Owners 190 to 199 have only the newest 500, and the same ones. */
const FILL: readonly string[] = [
  ...["primary_transactions", "primary_address_transactions"].map(
    (table) => `CREATE TABLE ${table}_5 PARTITION OF ${table} FOR VALUES IN (5)`,
  ),
  `INSERT INTO primary_address_transactions SELECT 5, 'P', ${bytesOf("o")}, n,
     CASE n % 3 WHEN 0 THEN 'BaseTx' WHEN 1 THEN 'ExportTx' ELSE 'OtherTx' END, 1000 + n / 4
   FROM generate_series(1, ${TRANSACTIONS}) n, generate_series(0, ${OWNERS - 1}) o
   WHERE CASE WHEN o < 190 THEN ${random("o", "n")} % (1 + o * o / 50) = 0 ELSE n > ${TRANSACTIONS - 500} END`,
  `INSERT INTO primary_transactions (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_timestamp, memo,
     consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, l1_balance_burned, reward_addresses)
   SELECT 5, 'P', n, sha256(n::text::bytea), 'BaseTx', n, 1000 + n / 4, '\\x', '{}', '{}', '{}', '{}', 0, '{}'
   FROM generate_series(1, ${TRANSACTIONS}) n`,
  "VACUUM ANALYZE primary_address_transactions, primary_transactions",
];

/** What the statement must return for all its pages together, read in the simplest way. */
const EXPECTED = `SELECT DISTINCT tx_seq FROM primary_address_transactions
  WHERE network_id = 5 AND chain = 'P' AND address = ANY ($1)
    AND ($2::text[] IS NULL OR tx_type = ANY ($2)) AND block_timestamp >= $3 AND block_timestamp < $4`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const statement of FILL) await database.pool.query(statement);
});
afterAll(() => database[Symbol.asyncDispose]());

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);
const ANY = { txTypes: null, startTimestamp: null, endTimestamp: null };

function filterOf(owners: readonly number[], sortOrder: SortOrder, filters: Partial<TransactionFilter> = ANY) {
  const addresses = owners.map(hexOf);
  return { scope: "addresses", chain: "P", addresses, validationId: null, sortOrder, ...ANY, ...filters } as const;
}

function statementOf(filter: TransactionFilter): string {
  const { source, sortOrder, isFiltered } = pageKindOf(filter);
  const keyset = keysetOf(TRANSACTION_ORDER, ["$3"], sortOrder === "asc");
  return positions(source === "chain" ? "validation" : source, keyset, isFiltered);
}

/** The first pages of a list, with one row more than they have. */
async function readPages(filter: TransactionFilter, size: number, count: number): Promise<number[]> {
  const found: number[] = [];
  let position = filter.sortOrder === "desc" ? String(2n ** 63n - 1n) : "-1";
  for (let page = 0; page < count; page++) {
    const values = [5, "P", position, size + 1, ...pageValues(filter, size + 1)];
    const { rows } = await database.pool.query<{ tx_seq: string }>(statementOf(filter), values);
    expect(rows.length).toBeLessThanOrEqual(size + 1);
    found.push(...rows.slice(0, size).map(({ tx_seq }) => Number(tx_seq)));
    if (rows.length <= size) break;
    position = rows[size - 1]?.tx_seq ?? position;
  }
  return found;
}

async function expected(filter: TransactionFilter): Promise<number[]> {
  const { addresses, txTypes, startTimestamp, endTimestamp, sortOrder } = filter;
  const owners = addresses?.map((hex) => Buffer.from(hex.slice(2), "hex"));
  const times = [startTimestamp ?? 0, endTimestamp ?? Number.MAX_SAFE_INTEGER];
  const { rows } = await database.pool.query<{ tx_seq: string }>(EXPECTED, [owners, txTypes, ...times]);
  const all = rows.map(({ tx_seq }) => Number(tx_seq)).sort((one, other) => one - other);
  return sortOrder === "asc" ? all : all.reverse();
}

describe("E5 pages of several addresses", () => {
  const LISTS: readonly (readonly [string, readonly number[]])[] = [
    ["one address", [3]],
    ["two addresses", [0, 150]],
    ["all addresses", range(0, OWNERS)],
    ["addresses with few transactions", range(120, 190)],
    ["addresses with the same transactions", range(190, OWNERS)],
    ["addresses without transactions", range(1_000, 1_200)],
  ];
  const FILTERS: readonly (readonly [string, Partial<TransactionFilter>])[] = [
    ["no filters", ANY],
    ["types", { txTypes: ["ExportTx"] }],
    ["a time", { startTimestamp: "1700", endTimestamp: "2100" }],
    ["a time without transactions", { startTimestamp: "9000" }],
    ["types and a time", { txTypes: ["BaseTx", "ExportTx"], endTimestamp: "2000" }],
  ];

  it.each(LISTS)(
    "of %s are those of a simple statement, in both directions, with and without filters",
    async (_, owners) => {
      for (const sortOrder of ["desc", "asc"] as const)
        for (const [name, filters] of FILTERS) {
          const filter = filterOf(owners, sortOrder, filters);
          const all = await expected(filter);
          for (const [size, count] of [
            [1, 5],
            [10, 8],
            [100, 12],
          ] as const)
            expect([name, size, await readPages(filter, size, count)]).toEqual([
              name,
              size,
              all.slice(0, size * count),
            ]);
        }
    },
  );

  it.each([
    ["all addresses", range(0, OWNERS)],
    ["addresses with the most transactions", range(0, 50)],
  ])("of %s read much less than a page of each, in the index alone", async (_, owners) => {
    const limit = 101;
    const filter = filterOf(owners, "desc");
    const values = [5, "P", String(2n ** 63n - 1n), limit, ...pageValues(filter, limit)];
    const scans = await scansOfGenericPlan(database.pool, statementOf(filter), values);
    expect(new Set(scans.map(({ kind }) => kind))).toEqual(new Set(["Index Only Scan"]));
    const read = scans.reduce((sum, { rows, removed }) => sum + rows + removed, 0);
    expect(read).toBeLessThanOrEqual(3 * limit * Math.sqrt(owners.length));
  });
});
