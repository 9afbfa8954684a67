import DataLoader from "dataloader";
import type pg from "pg";
import { prepared } from "../../core/database.ts";
import { Failure } from "../../core/errors.ts";
import type { NestedListOptions } from "./nested-list.ts";

/** Most rows that the lists below several parents may have together. */
const MOST_ROWS = 10_000;

/** All items below one parent, which its key names. Lists below the parents of a page cost one statement together. */
export type WholeList<Item> = (parent: readonly string[]) => Promise<Item[]>;

/** Makes the list of a request, of the same rows as a nested list. `complete` runs once for all rows of a batch. */
export function createWholeList<Row extends pg.QueryResultRow, Item = Row>(
  pool: pg.Pool,
  { name, key, position, start, select }: Omit<NestedListOptions<Row>, "positionOf">,
  complete: (rows: Row[]) => Promise<Item[]>,
): () => WholeList<Item> {
  const rowsOf = prepared<Row & { ask: string }>(pool, name, wholeListStatement({ key, position, select }));
  const load = async (parents: readonly (readonly string[])[]): Promise<Item[][]> => {
    const keys = parents.map((parent) => [...parent, ...start]);
    const columns = (keys[0] ?? []).map((_, column) => keys.map((values) => values[column]));
    // One parent is answered in full: no transaction is larger than its block.
    const rows = await rowsOf([...columns, parents.length > 1 ? MOST_ROWS + 1 : null]);
    if (parents.length > 1 && rows.length > MOST_ROWS)
      throw new Failure("INVALID_PARAMETER", `${name}: must have at most ${MOST_ROWS} items in all, got more`);
    const items = await complete(rows);
    const byAsk = parents.map((): Item[] => []);
    rows.forEach(({ ask }, index) => {
      byAsk[Number(ask) - 1]?.push(items[index] as Item);
    });
    return byAsk;
  };
  return () => {
    let loader: DataLoader<readonly string[], Item[], string> | undefined;
    return (parent) => {
      loader ??= new DataLoader(load, { cacheKeyFn: (key) => key.join(" ") });
      return loader.load(parent);
    };
  };
}

/** The rows below parents: of the key and of the position a list for each column, then the most rows in all. */
export function wholeListStatement(options: Pick<NestedListOptions<never>, "key" | "position" | "select">): string {
  const types = { ...options.key, ...options.position };
  const lists = Object.values(types).map((type, index) => `$${index + 1}::${type}[]`);
  return `SELECT k.ask, item.* FROM unnest(${lists.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, ask),
    LATERAL (${options.select}) item LIMIT $${lists.length + 1}`;
}
