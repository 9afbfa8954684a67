import type pg from "pg";
import { type Numbered, type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { createDataLoader } from "../../../core/database/data-loader.ts";
import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf } from "./keyset.ts";
import { type NestedSelect, nestedSelect, positionTypes, withoutPartition } from "./nested-list.ts";

/** Maximum number of rows if a statement reads several parents. */
const MAX_ROWS = 10_000;

/**
 * Reads all items of one parent, given by its key. The lists of all parents of a chain or network in one tick are one
 * statement. Throws `INVALID_PARAMETER` if several parents have more than 10,000 items together.
 */
export type WholeList<Item> = (parent: readonly string[]) => Promise<Item[]>;

export interface WholeListOptions extends NestedSelect {
  /** Name of the prepared statement. */
  readonly name: string;
}

/**
 * Returns a function that creates the `WholeList` of one request. The options are those of a nested list. `complete` turns the
 * rows into items; it runs once for the rows of all parents of a statement.
 */
export function createWholeList<Row extends pg.QueryResultRow, Item = Row>(
  pool: StatementPool,
  options: WholeListOptions,
  complete: (rows: Row[], work: Work) => Promise<Item[]>,
): (work: Work) => WholeList<Item> {
  const { name } = options;
  const statement = prepared<Row & Numbered>(pool, name, wholeListStatement(options));
  const read = async (parents: Parents, work: Work): Promise<Item[][]> => {
    const rowsOf = readRowsOfKeys(statement, wholeListParameters(options, parents.length));
    return listsOfParents(name, await rowsOf(parents, work), (rows) => complete(rows, work));
  };
  return (work) => {
    const loader = createDataLoader(name, (parents: Parents) => read(parents, work));
    return (parent) => loader.load(parent);
  };
}

/** Completes the rows of some parents, and returns the items of each. Throws `INVALID_PARAMETER` for too many rows. */
export async function listsOfParents<Row, Item>(
  name: string,
  rowsOfParents: readonly Row[][],
  complete: (rows: Row[]) => Promise<Item[]>,
): Promise<Item[][]> {
  const [first = []] = rowsOfParents;
  if (rowsOfParents.length === 1) return [await complete(first)];
  const rows = rowsOfParents.flat();
  if (rows.length > MAX_ROWS)
    throw new Failure(
      "INVALID_PARAMETER",
      `the lists ${name} of a request may have at most ${MAX_ROWS} items together, got more`,
    );
  const items = await complete(rows);
  let from = 0;
  return rowsOfParents.map(({ length }) => {
    from += length;
    return items.slice(from - length, from);
  });
}

/** Keys of parents. */
type Parents = readonly (readonly string[])[];

/** The parameters of `wholeListStatement` for a request that reads `count` parents. */
export function wholeListParameters(
  { order }: WholeListOptions,
  count: number,
): PartitionParameters<readonly string[]> {
  // A single parent has no limit: for example, the rows of a transaction are bounded by its block.
  const limit = count > 1 ? MAX_ROWS + 1 : null;
  const { first } = endsOf(order);
  return {
    partitionOf: ([partition = ""]) => partition,
    valuesOf(parents) {
      const keys = parents.map(([, ...others]) => [...others, ...first]);
      const lists = (keys[0] ?? []).map((_, column) => keys.map((values) => values[column]));
      return [...lists, limit];
    },
  };
}

/**
 * Statement of all rows below some parents of a chain or network. Parameters: the chain id or network id, a list for each other column
 * of the key and of the position, then the limit of rows in all (null: no limit). The column `request` is the number of the parent,
 * counted from 1.
 */
export function wholeListStatement(options: NestedSelect): string {
  const types = { ...withoutPartition(options.key), ...positionTypes(options) };
  const lists = Object.values(types).map((type, index) => `$${index + 2}::${type}[]`);
  return `SELECT k.request, item.* FROM unnest(${lists.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request),
    LATERAL (${nestedSelect(options, false)}) item LIMIT ${limitOf(options)}`;
}

/** The parameter of `wholeListStatement` that has the limit of rows. */
function limitOf({ key, ...options }: NestedSelect): string {
  return `$${Object.keys({ ...key, ...positionTypes(options) }).length + 1}`;
}

/** SQL condition for a statement that contains `wholeListStatement` under a name: `listsOfParents` does not refuse its rows. */
export function areRowsAccepted(options: NestedSelect, name: string): string {
  const limit = limitOf(options);
  return `(${limit} IS NULL OR (SELECT count(*) FROM ${name}) < ${limit})`;
}
