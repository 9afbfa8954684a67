import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { ascending, descending, endsOf, keysetOf, type Order } from "./keyset.ts";

/** Rows in which each column has equal values often. */
const ROWS =
  "SELECT n % 3 AS a, n % 4 AS b, n AS c, decode(lpad(to_hex(n % 5), 40, '0'), 'hex') AS d FROM generate_series(-20, 39) n";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const MIXED: Order = [
  ...descending({ a: "bigint" }),
  ...ascending({ b: "int" }),
  ...descending({ d: "bytea" }),
  ...ascending({ c: "bigint" }),
];
const ORDERS: readonly (readonly [string, Order, string])[] = [
  ["ascending columns", ascending({ a: "bigint", b: "int", c: "bigint" }), "a, b, c"],
  ["descending columns", descending({ a: "bigint", d: "bytea", c: "int" }), "a DESC, d DESC, c DESC"],
  ["columns of both directions", MIXED, "a DESC, b, d DESC, c"],
];

async function read(order: Order, isBackward: boolean, size: number): Promise<number[]> {
  const keyset = keysetOf(
    order,
    order.map((_, at) => `$${at + 1}`),
    isBackward,
  );
  const text = `SELECT * FROM (${ROWS}) t WHERE ${keyset.after()} ORDER BY ${keyset.orderBy()} LIMIT ${size}`;
  const ends = endsOf(order);
  const found: number[] = [];
  for (let position: readonly unknown[] = isBackward ? ends.last : ends.first; ; ) {
    const { rows } = await database.pool.query(text, [...position]);
    found.push(...rows.map(({ c }) => Number(c)));
    if (rows.length < size) return found;
    const last = rows.at(-1);
    position = order.map(({ column }) => last[column]);
  }
}

describe("a keyset", () => {
  it.each(ORDERS)(
    "reads all rows in the order of %s and backward, whatever the size of the pages",
    async (_, order, orderBy) => {
      const { rows } = await database.pool.query(`SELECT c FROM (${ROWS}) t ORDER BY ${orderBy}`);
      const all = rows.map(({ c }) => Number(c));
      for (const size of [1, 7, 100]) {
        expect([size, await read(order, false, size)]).toEqual([size, all]);
        expect([size, await read(order, true, size)]).toEqual([size, all.toReversed()]);
      }
    },
  );
});
