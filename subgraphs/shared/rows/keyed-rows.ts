import type pg from "pg";
import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { Work } from "../../../core/work/work.ts";

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
  /** SQL type of each column of the key. The first column is the one that the table is partitioned by. */
  readonly key: Readonly<Record<string, string>>;
  /** Values of a key, in the order of its columns. */
  readonly valuesOf: (key: Key) => readonly unknown[];
}

/**
 * Returns a function that reads rows by keys of several columns. One prepared statement reads the keys of a chain or network, and the
 * rows are in any order. Rows that do not exist are left out. If a key has only a partition and an id, use `createRowsById`, which
 * reads through Prisma.
 */
export function createKeyedRows<Row extends pg.QueryResultRow, Key>(
  pool: StatementPool,
  { name, table, columns, key, valuesOf }: KeyedRowsOptions<Key>,
): (keys: readonly Key[], work: Work) => Promise<Row[]> {
  const [partition = "", ...names] = Object.keys(key);
  const lists = names.map((column, index) => `$${index + 2}::${key[column]}[]`);
  const sameKey = names.map((column) => `t.${column} = k.${column}`).join(" AND ");
  const read = prepared<Row>(
    pool,
    name,
    `SELECT item.* FROM unnest(${lists.join(", ")}) AS k(${names.join(", ")}),
      LATERAL (SELECT ${columns} FROM ${table} t WHERE t.${partition} = $1 AND ${sameKey}) item`,
  );
  const rowsOf = readRowsByPartition(read, {
    partitionOf: ([partition]: readonly unknown[]) => String(partition),
    valuesOf: (keys) => names.map((_, column) => keys.map((one) => one[column + 1])),
  });
  return (keys, work) => rowsOf(keys.map(valuesOf), work);
}
