import { withOutage } from "../../../core/database.ts";
import { observeBatch } from "../../../core/observability/observe-reads.ts";

const MAX_KEYS = 1_000;

/** Loads rows by their keys. Keys that are requested in one tick share one statement. */
export interface Batch<Key, Item> {
  /** The row of a key; null if it does not exist. */
  (key: Key): Promise<Item | null>;
  /** The same for many keys, in their order, with one promise instead of one for each key. */
  all(keys: readonly Key[]): Promise<(Item | null)[]>;
}

/** Rows that one statement reads, by the texts of their keys. */
type Rows<Item> = Promise<ReadonlyMap<string, Item>>;

/** A statement that waits for the end of the tick. */
interface Waiting<Key, Item> {
  readonly keys: Key[];
  readonly rows: Rows<Item>;
}

/**
 * Makes the loader of one request, which reads each key once. `name` is its name in Prometheus metrics and traces.
 * `rowsOf` reads the rows of distinct keys, in any order, for at most `maxKeys` keys (default: 1,000) at a time. `keyOf`
 * returns the key of a row; its fields must have the same order as in the keys of callers. If the database cannot be
 * used, the loader fails with `UNAVAILABLE` and the reason. After a failure, the next request for a key reads it again.
 */
export function createBatch<Key extends object, Item>(
  name: string,
  rowsOf: (keys: readonly Key[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => Key,
  maxKeys = MAX_KEYS,
): Batch<Key, Item> {
  const known = new Map<string, Rows<Item>>();
  let waiting: Waiting<Key, Item> | null = null;

  const read = async (keys: readonly Key[]): Rows<Item> => {
    await endOfTick();
    // Later keys belong to the next statement.
    if (waiting?.keys === keys) waiting = null;
    try {
      const rows = await withOutage(() => observeBatch(name, keys.length, () => rowsOf(keys)));
      return new Map(rows.map((item) => [textOf(keyOf(item)), item]));
    } catch (error) {
      for (const key of keys) known.delete(textOf(key));
      throw error;
    }
  };
  const rowsWith = (text: string, key: Key): Rows<Item> => {
    const found = known.get(text);
    if (found) return found;
    if (!waiting || waiting.keys.length >= maxKeys) {
      const keys: Key[] = [];
      waiting = { keys, rows: read(keys) };
    }
    waiting.keys.push(key);
    known.set(text, waiting.rows);
    return waiting.rows;
  };

  const load = async (key: Key): Promise<Item | null> => {
    const text = textOf(key);
    return (await rowsWith(text, key)).get(text) ?? null;
  };
  const all = async (keys: readonly Key[]): Promise<(Item | null)[]> => {
    const texts = keys.map(textOf);
    const statements = texts.map((text, at) => rowsWith(text, keys[at] as Key));
    const found = new Map<Rows<Item>, ReadonlyMap<string, Item>>();
    await Promise.all([...new Set(statements)].map(async (rows) => found.set(rows, await rows)));
    return texts.map((text, at) => found.get(statements[at] as Rows<Item>)?.get(text) ?? null);
  };
  return Object.assign(load, { all });
}

/** Resolves after all promises that are settled in this tick, so that their callers can request keys too. */
function endOfTick(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}

/** Makes a `keyOf` for items that have the fields of their key. */
export function fields<Name extends string>(...names: readonly Name[]) {
  return <Item extends Readonly<Record<Name, unknown>>>(item: Item): Pick<Item, Name> =>
    Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>;
}

const textOf = (key: object): string => Object.values(key).join(" ");
