import type { Ends, Position } from "../../../core/graph/page.ts";

/** SQL types of the columns of an order. */
type ColumnType = "bigint" | "int" | "numeric" | "bytea" | "text" | "uuid";

/** A column of the order of a list. It must not be null. */
export interface OrderColumn {
  readonly column: string;
  readonly type: ColumnType;
  readonly isDescending: boolean;
}

/** The order of a list. All columns together identify a row. An index must have them in this order. */
export type Order = readonly OrderColumn[];

const orderBy = (columns: Readonly<Record<string, ColumnType>>, isDescending: boolean): Order =>
  Object.entries(columns).map(([column, type]) => ({ column, type, isDescending }));

/** The order of some columns, smallest values first. */
export const ascending = (columns: Readonly<Record<string, ColumnType>>): Order => orderBy(columns, false);

/** The order of some columns, greatest values first. */
export const descending = (columns: Readonly<Record<string, ColumnType>>): Order => orderBy(columns, true);

/** The opposite order. */
const reversed = (order: Order): Order =>
  order.map(({ column, type, isDescending }) => ({ column, type, isDescending: !isDescending }));

/** The order of a list, newest or greatest first, in the direction that a caller wants. */
export const sorted = (descendingOrder: Order, direction: "asc" | "desc"): Order =>
  direction === "desc" ? descendingOrder : reversed(descendingOrder);

/** How a statement calls a column of the order. Default: as a column of the table `t`. */
type NameOf = (column: string) => string;

/** Calls columns those of another table. */
export const of =
  (table: string): NameOf =>
  (column) =>
    `${table}.${column}`;

const OF_T = of("t");

/** What a SELECT needs to read the rows that follow a position, in one of the two directions of a list. */
export interface Keyset {
  /** True if the rows before the position are read, nearest first. */
  readonly isBackward: boolean;
  /** Condition: a row follows the position. */
  after(nameOf?: NameOf): string;
  /** ORDER BY list. */
  orderBy(nameOf?: NameOf): string;
  /** True if the rows are read in the descending order of the first column. */
  readonly isDescending: boolean;
}

/** `values` are the SQL expressions of the position, one for each column of the order. */
export function keysetOf(order: Order, values: readonly string[], isBackward: boolean): Keyset {
  const columns = isBackward ? reversed(order) : order;
  const typed = columns.map((column, at) => ({ ...column, value: `${values[at]}::${column.type}` }));
  return {
    isBackward,
    isDescending: columns[0]?.isDescending ?? false,
    after: (nameOf = OF_T) => followsPosition(typed, nameOf),
    orderBy: (nameOf = OF_T) =>
      columns.map(({ column, isDescending }) => `${nameOf(column)}${isDescending ? " DESC" : ""}`).join(", "),
  };
}

type Compared = OrderColumn & { readonly value: string };

const operatorOf = ({ isDescending }: OrderColumn): string => (isDescending ? "<" : ">");

/**
 * A comparison of rows if all columns have the same direction: PostgreSQL reads an index from the position on. Otherwise also a comparison of
 * the first column, for which it does the same.
 */
function followsPosition(columns: readonly Compared[], nameOf: NameOf): string {
  const [first, ...others] = columns;
  if (!first) return "true";
  if (others.every(({ isDescending }) => isDescending === first.isDescending)) {
    const names = columns.map(({ column }) => nameOf(column)).join(", ");
    const values = columns.map(({ value }) => value).join(", ");
    return others.length === 0
      ? `${names} ${operatorOf(first)} ${values}`
      : `(${names}) ${operatorOf(first)} (${values})`;
  }
  const name = nameOf(first.column);
  const isAtPosition = `${name} = ${first.value} AND ${followsPosition(others, nameOf)}`;
  return `(${name} ${operatorOf(first)}= ${first.value} AND (${name} ${operatorOf(first)} ${first.value} OR (${isAtPosition})))`;
}

/** Below and above all values that rows have. A text is never first in an order, so the columns before it decide. */
const LIMITS: Readonly<Record<ColumnType, readonly [low: string, high: string]>> = {
  bigint: ["-9223372036854775808", "9223372036854775807"],
  int: ["-2147483648", "2147483647"],
  // 2^256 has 78 digits.
  numeric: [`-1${"0".repeat(96)}`, `1${"0".repeat(96)}`],
  // The longest are hashes.
  bytea: ["\\x", `\\x${"ff".repeat(33)}`],
  text: ["", ""],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
};

/** Positions before the first and after the last row that a list with this order can have. */
export function endsOf(order: Order): Ends {
  const before = (isReversed: boolean): Position =>
    order.map(({ type, isDescending }) => LIMITS[type][isDescending === isReversed ? 0 : 1]);
  return { first: before(false), last: before(true) };
}

/**
 * The ends of a list whose first column has a range of values, from `start` (inclusive) to `end` (exclusive). A statement that reads from one
 * of them must itself compare the rows with the other.
 */
export function endsOfRange(order: Order, start: string, end: string): Ends {
  const [first, ...others] = order;
  const below = (value: string): Position => [value, ...others.map(({ type }) => LIMITS[type][0])];
  return first?.isDescending ? { first: below(end), last: below(start) } : { first: below(start), last: below(end) };
}
