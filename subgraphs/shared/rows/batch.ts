import DataLoader from "dataloader";
import { withOutage } from "../../../core/database.ts";
import { observeBatch } from "../../../core/observability/observe-reads.ts";

const MAX_KEYS = 1_000;

/** Loads one row by its key; null if the row does not exist. Keys that are requested in one tick share one statement. */
export type Batch<Key, Item> = (key: Key) => Promise<Item | null>;

/**
 * Makes the loader of one request: a DataLoader with its own cache. `name` is its name in Prometheus metrics and traces.
 * `rowsOf` reads the rows of distinct keys, in any order, for at most `maxKeys` keys (default: 1,000) at a time. `keyOf`
 * returns the key of a row; its fields must have the same order as in the keys of callers. If the database cannot be
 * used, the loader fails with `UNAVAILABLE` and the reason.
 */
export function createBatch<Key extends object, Item>(
  name: string,
  rowsOf: (keys: readonly Key[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => Key,
  maxKeys = MAX_KEYS,
): Batch<Key, Item> {
  const load = async (keys: readonly Key[]) => {
    const rows = await withOutage(() => observeBatch(name, keys.length, () => rowsOf(keys)));
    const items = new Map(rows.map((item) => [textOf(keyOf(item)), item]));
    return keys.map((key) => items.get(textOf(key)) ?? null);
  };
  // A request has dozens of loaders and uses few, so each DataLoader is made on first use.
  let loader: DataLoader<Key, Item | null, string> | undefined;
  return (key) => {
    loader ??= new DataLoader(load, { cacheKeyFn: textOf, maxBatchSize: maxKeys });
    return loader.load(key);
  };
}

/** Makes a `keyOf` for items that have the fields of their key. */
export function fields<Name extends string>(...names: readonly Name[]) {
  return <Item extends Readonly<Record<Name, unknown>>>(item: Item): Pick<Item, Name> =>
    Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>;
}

const textOf = (key: object): string => Object.values(key).join(" ");
