import type pg from "pg";
import { prepared } from "../../core/database.ts";
import { Quantity } from "../../core/scalars.ts";

const MAX_INDEX = 2 ** 31 - 1;

/** An index in the key that another subgraph names; what is greater than any row's becomes the greatest. */
export function parseIndex(value: unknown): number {
  return Math.min(Number(Quantity.parseValue(value)), MAX_INDEX);
}

export interface KeyedRowsOptions<Key> {
  /** Of the statement. */
  readonly name: string;
  readonly table: string;
  /** What `columns` gives. */
  readonly columns: string;
  /** SQL type by column of the key. */
  readonly key: Readonly<Record<string, string>>;
  /** A key as parameters, in the order of its columns. */
  readonly valuesOf: (key: Key) => readonly unknown[];
}

/** Reads the rows that have these keys, whatever chains they are of, in any order. One statement. */
export function createKeyedRows<Row extends pg.QueryResultRow, Key>(
  pool: pg.Pool,
  { name, table, columns, key, valuesOf }: KeyedRowsOptions<Key>,
): (keys: readonly Key[]) => Promise<Row[]> {
  const names = Object.keys(key);
  const lists = Object.values(key).map((type, index) => `$${index + 1}::${type}[]`);
  const isOne = names.map((column) => `t.${column} = k.${column}`).join(" AND ");
  const read = prepared<Row>(
    pool,
    name,
    `SELECT item.* FROM unnest(${lists.join(", ")}) AS k(${names.join(", ")}),
      LATERAL (SELECT ${columns} FROM ${table} t WHERE ${isOne}) item`,
  );
  return (keys) => {
    const values = keys.map(valuesOf);
    return read(names.map((_, column) => values.map((one) => one[column])));
  };
}
