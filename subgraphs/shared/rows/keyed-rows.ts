import type pg from "pg";
import { prepared } from "../../../core/database.ts";
import { Quantity } from "../../../core/scalars.ts";

const MAX_INT = 2 ** 31 - 1;

/** Parses an index in a federation key. A value above the range of INT becomes the largest INT, which no row has. */
export function parseIndex(value: unknown): number {
  return Math.min(Number(Quantity.parseValue(value)), MAX_INT);
}

export interface KeyedRowsOptions<Key> {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** SELECT list, as `columns` makes it. */
  readonly columns: string;
  /** SQL type of each column of the key. */
  readonly key: Readonly<Record<string, string>>;
  /** Values of a key, in the order of its columns. */
  readonly valuesOf: (key: Key) => readonly unknown[];
}

/**
 * Returns a function that reads rows by keys of several columns. One prepared statement reads all keys, of any chains and
 * networks, and returns the rows in any order. Rows that do not exist are left out. If a key has only a partition and an id,
 * use `createRowsById`, which reads through Prisma.
 */
export function createKeyedRows<Row extends pg.QueryResultRow, Key>(
  pool: pg.Pool,
  { name, table, columns, key, valuesOf }: KeyedRowsOptions<Key>,
): (keys: readonly Key[]) => Promise<Row[]> {
  const names = Object.keys(key);
  const arrays = Object.values(key).map((type, index) => `$${index + 1}::${type}[]`);
  const sameKey = names.map((column) => `t.${column} = k.${column}`).join(" AND ");
  const read = prepared<Row>(
    pool,
    name,
    `SELECT item.* FROM unnest(${arrays.join(", ")}) AS k(${names.join(", ")}),
      LATERAL (SELECT ${columns} FROM ${table} t WHERE ${sameKey}) item`,
  );
  return (keys) => {
    const values = keys.map(valuesOf);
    return read(names.map((_, column) => values.map((one) => one[column])));
  };
}
