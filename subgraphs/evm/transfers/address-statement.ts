/** The rows of a table that names a sender (`from_address`) and a recipient (`to_address`). */
export interface AddressStatementOptions {
  readonly table: string;
  /** SELECT list, as `columns` makes it. It includes `from` and every column of `order`. */
  readonly columns: string;
  /** Columns that order the rows of a chain; `block_number` is the first. */
  readonly order: readonly string[];
  /** A further condition. The indexes by sender and by recipient must be partial indexes with the same condition. */
  readonly where?: string;
}

/**
 * Statement of one page of the rows that an address sent or received, newest first.
 *
 * Parameters: chain id, address, the position after which the page starts (one parameter for each column of `order`), the
 * first block of the range, the number of rows.
 */
export function addressStatement(options: AddressStatementOptions): string {
  const { order } = options;
  return `SELECT * FROM (${addressRows(options)}) page
    ORDER BY ${newestFirst(order)} LIMIT $${sizeParameter(order)}`;
}

/**
 * Statement of the rows of the page that `addressStatement` selects, and of up to as many rows that follow it, not sorted.
 *
 * Each side is one range of an index, limited to the page's size. Rows that an address sent to itself are in both ranges. The
 * second range leaves them out after the limit, never before it: a filter inside the LIMIT would read every transfer that a
 * wallet sent to itself. A row that belongs to the page has, in each range, fewer newer rows than the page's size. So the limit
 * never removes this row.
 */
export function addressRows({ table, columns, order, where }: AddressStatementOptions): string {
  const position = order.map((column, index) => `$${index + 3}${column === "block_number" ? "::bigint" : ""}`);
  const size = sizeParameter(order);
  const range = (side: string): string => `SELECT ${columns} FROM ${table}
      WHERE chain_id = $1 AND ${side} = $2 ${where ? `AND ${where}` : ""}
        AND (${order.join(", ")}) < (${position.join(", ")}) AND block_number >= $${size - 1}::bigint
      ORDER BY ${order.map((column) => `${column} DESC`).join(", ")} LIMIT $${size}`;
  return `(${range("from_address")})
    UNION ALL SELECT * FROM (${range("to_address")}) received WHERE "from" <> $2`;
}

/** ORDER BY list for rows under their names in the API. */
export function newestFirst(order: readonly string[]): string {
  const names = order.map((column) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  return names.map((name) => `"${name}" DESC`).join(", ");
}

const sizeParameter = (order: readonly string[]): number => order.length + 4;
