import type { Keyset, Order } from "../../shared/rows/keyset.ts";

/** The rows of a table that names a sender (`from_address`) and a recipient (`to_address`). */
export interface AddressStatementOptions {
  readonly table: string;
  /** SELECT list, as `columns` makes it. It includes `from` and every column of `order`. */
  readonly columns: string;
  /** The order of the rows of a chain, newest first; `block_number` is its first column. */
  readonly order: Order;
  /** A further condition. The indexes by sender and by recipient must be partial indexes with the same condition. */
  readonly where?: string;
}

/** Number of the first parameter of the position. */
export const POSITION_AT = 3;

/**
 * Statement of one page of the rows that an address sent or received.
 *
 * Parameters: chain id, address, the position that the page follows (one parameter for each column of `order`), the end of the range of
 * blocks in the direction of the page (its first block, or backward the one after its last), the number of rows.
 */
export function addressStatement(options: AddressStatementOptions): (keyset: Keyset) => string {
  return (keyset) => `SELECT * FROM (${addressRows(options, keyset)}) page
    ORDER BY ${keyset.orderBy(apiName)} LIMIT $${sizeParameter(options.order)}`;
}

/**
 * Statement of the rows of the page that `addressStatement` selects, and of up to as many rows that follow it, not sorted.
 *
 * Each side is one range of an index, limited to the page's size. Rows that an address sent to itself are in both ranges. The
 * second range leaves them out after the limit, never before it: a filter inside the LIMIT would read every transfer that a
 * wallet sent to itself. A row that belongs to the page has, in each range, fewer rows before it than the page's size. So the limit
 * never removes this row.
 */
export function addressRows({ table, columns, order, where }: AddressStatementOptions, keyset: Keyset): string {
  const size = sizeParameter(order);
  const isInRange = `t.block_number ${keyset.isBackward ? "<" : ">="} $${size - 1}::bigint`;
  const range = (side: string): string => `SELECT ${columns} FROM ${table} t
      WHERE t.chain_id = $1 AND t.${side} = $2 ${where ? `AND ${where}` : ""} AND ${keyset.after()} AND ${isInRange}
      ORDER BY ${keyset.orderBy()} LIMIT $${size}`;
  return `(${range("from_address")})
    UNION ALL SELECT * FROM (${range("to_address")}) received WHERE "from" <> $2`;
}

/** A column under its name in the API. */
export const apiName = (column: string): string =>
  `"${column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}"`;

const sizeParameter = (order: Order): number => order.length + POSITION_AT + 1;
