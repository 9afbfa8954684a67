import DataLoader from "dataloader";
import type pg from "pg";
import { prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import { observeBatch } from "../../../core/observability/observe-reads.ts";
import type { NestedListOptions } from "./nested-list.ts";

/** Maximum number of rows if a statement reads several parents. */
const MAX_ROWS = 10_000;

/**
 * Reads all items of one parent, given by its key. The lists of all parents in one tick are one statement. Throws
 * `INVALID_PARAMETER` if several parents have more than 10,000 items together.
 */
export type WholeList<Item> = (parent: readonly string[]) => Promise<Item[]>;

export type WholeListOptions = Omit<NestedListOptions<never>, "positionOf">;

/** Number of the parent that a row belongs to, counted from 1. */
export interface OfParent {
  readonly request: string;
}

/**
 * Returns a function that creates the `WholeList` of one request. The options are those of a nested list. `complete` turns the
 * rows into items; it runs once for the rows of all parents of a statement.
 */
export function createWholeList<Row extends pg.QueryResultRow, Item = Row>(
  pool: pg.Pool,
  options: WholeListOptions,
  complete: (rows: Row[]) => Promise<Item[]>,
): () => WholeList<Item> {
  const { name } = options;
  const rowsOf = prepared<Row & OfParent>(pool, name, wholeListStatement(options));
  const load = async (parents: readonly (readonly string[])[]): Promise<Item[][]> => {
    const rows = await observeBatch(name, parents.length, () => rowsOf(wholeListValues(options, parents)));
    return listsOfParents(name, parents, rows, complete);
  };
  return () => {
    let loader: DataLoader<readonly string[], Item[], string> | undefined;
    return (parent) => {
      loader ??= new DataLoader(load, { cacheKeyFn: (key) => key.join(" ") });
      return loader.load(parent);
    };
  };
}

/** Completes the rows of some parents, and returns the items of each. Throws `INVALID_PARAMETER` for too many rows. */
export async function listsOfParents<Row extends OfParent, Item>(
  name: string,
  parents: readonly (readonly string[])[],
  rows: Row[],
  complete: (rows: Row[]) => Promise<Item[]>,
): Promise<Item[][]> {
  if (parents.length > 1 && rows.length > MAX_ROWS)
    throw new Failure(
      "INVALID_PARAMETER",
      `the lists ${name} of a request may have at most ${MAX_ROWS} items together, got more`,
    );
  const items = await complete(rows);
  if (parents.length === 1) return [items];
  const byParent = parents.map((): Item[] => []);
  rows.forEach(({ request }, index) => {
    byParent[Number(request) - 1]?.push(items[index] as Item);
  });
  return byParent;
}

/** The parameters of `wholeListStatement` for some parents. */
export function wholeListValues({ start }: WholeListOptions, parents: readonly (readonly string[])[]): unknown[] {
  const keys = parents.map((parent) => [...parent, ...start]);
  const columns = (keys[0] ?? []).map((_, column) => keys.map((values) => values[column]));
  // A single parent has no limit: for example, the rows of a transaction are bounded by its block.
  return [...columns, parents.length > 1 ? MAX_ROWS + 1 : null];
}

/**
 * Statement of all rows below some parents. Parameters: an array for each column of the key and of the position, then the
 * limit of rows in all (null: no limit). The column `request` is the number of the parent, counted from 1.
 */
export function wholeListStatement(options: StatementOptions): string {
  const types = { ...options.key, ...options.position };
  const arrays = Object.values(types).map((type, index) => `$${index + 1}::${type}[]`);
  return `SELECT k.request, item.* FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request),
    LATERAL (${options.select}) item LIMIT ${limitOf(options)}`;
}

type StatementOptions = Pick<NestedListOptions<never>, "key" | "position" | "select">;

/** The parameter of `wholeListStatement` that has the limit of rows. */
function limitOf({ key, position }: Omit<StatementOptions, "select">): string {
  return `$${Object.keys({ ...key, ...position }).length + 1}`;
}

/** SQL condition for a statement that contains `wholeListStatement` under a name: `listsOfParents` does not refuse its rows. */
export function areRowsAccepted(options: StatementOptions, name: string): string {
  const limit = limitOf(options);
  return `(${limit} IS NULL OR (SELECT count(*) FROM ${name}) < ${limit})`;
}
