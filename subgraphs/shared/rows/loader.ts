import { createDataLoader, textOfKey } from "../../../core/database/data-loader.ts";
import type { Work } from "../../../core/work/work.ts";

const MAX_KEYS = 1_000;

/** Returns the row of a key; null if it does not exist. Keys that are requested in one tick are read together, and each key is read once. */
export type Load<Key, Item> = (key: Key) => Promise<Item | null>;

/**
 * Returns a function that makes a loader of rows for the work of one request. `rowsOf` reads the rows of distinct keys, in any order, for
 * at most `maxKeys` keys (default: 1,000) at a time. `keyOf` returns the key of a row; its fields must have the same order as in the
 * keys of callers.
 */
export function createLoader<Key extends object, Item>(
  name: string,
  rowsOf: (keys: readonly Key[], work: Work) => Promise<readonly Item[]>,
  keyOf: (item: Item) => Key,
  maxKeys = MAX_KEYS,
): (work: Work) => Load<Key, Item> {
  return (work) => {
    const read = async (keys: readonly Key[]): Promise<(Item | null)[]> => {
      const rows = new Map<string, Item>();
      for (const item of await rowsOf(keys, work)) rows.set(textOfKey(keyOf(item)), item);
      return keys.map((key) => rows.get(textOfKey(key)) ?? null);
    };
    const loader = createDataLoader(name, read, { maxBatchSize: maxKeys });
    return (key) => loader.load(key);
  };
}

/** Makes a `keyOf` for items that have the fields of their key. */
export function fields<Name extends string>(...names: readonly Name[]) {
  return <Item extends Readonly<Record<Name, unknown>>>(item: Item): Pick<Item, Name> => {
    const key: Partial<Pick<Item, Name>> = {};
    for (const name of names) key[name] = item[name];
    return key as Pick<Item, Name>;
  };
}
