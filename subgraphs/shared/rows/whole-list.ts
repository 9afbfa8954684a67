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

/** What the lists of a request share while they are read. `read` gets what `complete` needs. */
export interface SharedByLists<Shared> {
  reading<List>(read: (shared: Shared) => Promise<List>): Promise<List>;
}

const NOTHING_SHARED: SharedByLists<undefined> = { reading: (read) => read(undefined) };

/**
 * Returns a function that creates the `WholeList` of one request. The options are those of a nested list. `complete` turns the
 * rows into items; it runs once for the rows of all parents of a statement.
 */
export function createWholeList<Row extends pg.QueryResultRow, Item = Row>(
  pool: pg.Pool,
  options: Omit<NestedListOptions<Row>, "positionOf">,
  complete: (rows: Row[]) => Promise<Item[]>,
): () => WholeList<Item> {
  const create = createSharingList(pool, options, complete);
  return () => create(NOTHING_SHARED);
}

/** The same for a list whose `complete` needs what several lists of the request share. */
export function createSharingList<Row extends pg.QueryResultRow, Item, Shared>(
  pool: pg.Pool,
  { name, key, position, start, select }: Omit<NestedListOptions<Row>, "positionOf">,
  complete: (rows: Row[], shared: Shared) => Promise<Item[]>,
): (shared: SharedByLists<Shared>) => WholeList<Item> {
  const rowsOf = prepared<Row & { request: string }>(pool, name, wholeListStatement({ key, position, select }));
  const load = async (parents: readonly (readonly string[])[], shared: Shared): Promise<Item[][]> => {
    const keys = parents.map((parent) => [...parent, ...start]);
    const columns = (keys[0] ?? []).map((_, column) => keys.map((values) => values[column]));
    // A single parent has no limit: for example, the rows of a transaction are bounded by its block.
    const limit = parents.length > 1 ? MAX_ROWS + 1 : null;
    const rows = await observeBatch(name, parents.length, () => rowsOf([...columns, limit]));
    if (parents.length > 1 && rows.length > MAX_ROWS)
      throw new Failure(
        "INVALID_PARAMETER",
        `the lists ${name} of a request may have at most ${MAX_ROWS} items together, got more`,
      );
    const items = await complete(rows, shared);
    const byParent = parents.map((): Item[] => []);
    rows.forEach(({ request }, index) => {
      byParent[Number(request) - 1]?.push(items[index] as Item);
    });
    return byParent;
  };
  return ({ reading }) => {
    let loader: DataLoader<readonly string[], Item[], string> | undefined;
    const loadShared = (parents: readonly (readonly string[])[]) => reading((shared) => load(parents, shared));
    return (parent) => {
      loader ??= new DataLoader(loadShared, { cacheKeyFn: (key) => key.join(" ") });
      return loader.load(parent);
    };
  };
}

/**
 * Statement of all rows below some parents. Parameters: an array for each column of the key and of the position, then the
 * limit of rows in all (null: no limit). The column `request` is the number of the parent, counted from 1.
 */
export function wholeListStatement(options: Pick<NestedListOptions<never>, "key" | "position" | "select">): string {
  const types = { ...options.key, ...options.position };
  const arrays = Object.values(types).map((type, index) => `$${index + 1}::${type}[]`);
  return `SELECT k.request, item.* FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request),
    LATERAL (${options.select}) item LIMIT $${arrays.length + 1}`;
}
