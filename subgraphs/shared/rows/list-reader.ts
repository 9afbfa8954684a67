import type pg from "pg";
import { type PreparedStatement, prepared, preparedList, type ReadList } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { TotalCount } from "../../../core/graph/connection-page.ts";
import type { Ends, ListRows, PageFrom } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf, type Keyset, keysetOf, type Order } from "./keyset.ts";

/** Lists without a counter are counted up to this number. */
const MAX_COUNT = 1_000;

/** Rows that a count reads: one more than it counts shows that there are more. */
export const COUNT_LIMIT = MAX_COUNT + 1;

/** The count of a list of which at most `COUNT_LIMIT` rows were counted. */
export function totalOf(counted: number): TotalCount {
  return { count: String(Math.min(counted, MAX_COUNT)), isExact: counted <= MAX_COUNT };
}

/** An exact count. */
export const exactly = (count: string | number | bigint): TotalCount => ({ count: String(count), isExact: true });

/** Makes something for each direction of a list when it is needed first. `make` gets true for backward. */
export function inBothDirections<Made>(make: (isBackward: boolean) => Made): (isBackward: boolean) => Made {
  const made: { forward?: Made; backward?: Made } = {};
  return (isBackward) => {
    const key = isBackward ? "backward" : "forward";
    made[key] ??= make(isBackward);
    return made[key] as Made;
  };
}

/** Name of a prepared statement in one direction. */
export const directedName = (name: string, isBackward: boolean): string => (isBackward ? `${name}-backward` : name);

/** The SELECT of a page of a list. */
export interface ListSelect {
  readonly order: Order;
  /** Number of the first parameter of the position, which has one parameter for each column of the order. */
  readonly positionAt: number;
  /** SELECT of the rows `t` that follow the position, in order, with its LIMIT as a parameter. */
  readonly select: (keyset: Keyset) => string;
}

/** The text of the SELECT of a list in one direction. */
export function selectOf({ order, positionAt, select }: ListSelect, isBackward: boolean): string {
  const values = order.map((_, at) => `$${positionAt + at}`);
  return select(keysetOf(order, values, isBackward));
}

export interface ListReaderOptions extends ListSelect {
  /** Name of the prepared statement. */
  readonly name: string;
  /** SELECT of the head of the list's chain, as for `preparedList`. Null for a list that does not come from chains. */
  readonly head: string | null;
  /** SELECT of the same rows with fewer columns, for the count. Default: `select`. */
  readonly selectCounted?: (keyset: Keyset) => string;
  /** Name of a column that is null in rows that are no items. Default: all rows are items. */
  readonly counted?: string;
}

/** The parameters of the SELECT for what it is to read. */
export type ValuesFor = (from: PageFrom) => unknown[];

/** Reads and counts a list. */
export interface ListReader<Row> {
  /** Positions before the first and after the last row that the list can have. */
  readonly ends: Ends;
  read(values: ValuesFor, from: PageFrom, work: Work): Promise<ListRows<Row>>;
  /** Counts up to 1,000 rows of the list, from its beginning, with the statement of its pages. `ends` are those of the list if it is a range. */
  count(values: ValuesFor, work: Work, ends?: Ends): Promise<TotalCount>;
}

/**
 * Counts a list whose rows have consecutive numbers, such as the blocks of a chain: reads its first and its last row. `values` are the
 * parameters of its SELECT.
 */
export async function countConsecutive<Row>(
  { read, ends }: ListReader<Row>,
  values: ValuesFor,
  numberOf: (row: Row) => string,
  work: Work,
): Promise<TotalCount> {
  const atEnd = async (isBackward: boolean) => {
    const position = isBackward ? ends.last : ends.first;
    const [row] = (await read(values, { position, isBackward, limit: 1 }, work)).rows;
    return row === undefined ? null : BigInt(numberOf(row));
  };
  const [first, last] = await Promise.all([atEnd(false), atEnd(true)]);
  if (first === null || last === null) return exactly(0);
  return exactly((first > last ? first - last : last - first) + 1n);
}

/** Returns the reader of a list. Each connection prepares a statement when it needs it first. */
export function createListReader<Row extends pg.QueryResultRow>(
  pool: StatementPool,
  options: ListReaderOptions,
): ListReader<Row> {
  const { name, head, order, select, selectCounted = select, counted } = options;
  const ends = endsOf(order);
  const readers = inBothDirections((isBackward): ReadList<Row> => {
    const text = selectOf(options, isBackward);
    if (head !== null) return preparedList<Row>(pool, directedName(name, isBackward), text, head);
    const read = prepared<Row>(pool, directedName(name, isBackward), text);
    return async (values, work) => ({ rows: await read(values, work), heads: () => [] });
  });
  let counts: PreparedStatement<{ count: number }> | undefined;
  return {
    ends,
    read: (values, from, work) => readers(from.isBackward)(values(from), work),
    async count(values, work, { first } = ends) {
      counts ??= prepared(
        pool,
        `${name}-count`,
        countStatement(selectOf({ ...options, select: selectCounted }, false), counted),
      );
      const [row] = await counts(values({ position: first, isBackward: false, limit: COUNT_LIMIT }), work);
      return totalOf(row?.count ?? 0);
    },
  };
}

/** Counts the rows of a SELECT, or those in which a column is not null. PostgreSQL does not compute the other columns of the rows. */
export const countStatement = (select: string, counted?: string): string =>
  `SELECT count(${counted ? `"${counted}"` : "*"})::int AS count FROM (${select}) list`;
