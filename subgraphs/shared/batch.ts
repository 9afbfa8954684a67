import DataLoader from "dataloader";
import { isOutage } from "../../core/database.ts";
import { Failure } from "../../core/errors.ts";

/** Keys that a statement gets at most, where nothing else is said. */
const MOST_KEYS = 1_000;

/** What one request asks one row at a time and gets in one statement per tick; null where there is no such row. */
export type Batch<Key, Item> = (key: Key) => Promise<Item | null>;

/** `rowsOf` gets each key once, in any order, at most `mostKeys` (1,000) at a time; `keyOf` says which key a row answers. */
export function createBatch<Key extends object, Item>(
  rowsOf: (keys: readonly Key[]) => Promise<readonly Item[]>,
  keyOf: (item: Item) => Key,
  mostKeys = MOST_KEYS,
): Batch<Key, Item> {
  const load = async (keys: readonly Key[]) => {
    const found = new Map((await guarded(() => rowsOf(keys))).map((item) => [textOf(keyOf(item)), item]));
    return keys.map((key) => found.get(textOf(key)) ?? null);
  };
  // A request has dozens of these and uses few.
  let loader: DataLoader<Key, Item | null, string> | undefined;
  return (key) => {
    loader ??= new DataLoader(load, { cacheKeyFn: textOf, maxBatchSize: mostKeys });
    return loader.load(key);
  };
}

const textOf = (key: object): string => Object.values(key).join(" ");

async function guarded<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw isOutage(error) ? new Failure("UNAVAILABLE", "the database cannot be reached", error) : error;
  }
}

/** Keys by their chain, so that a statement can name each chain once. */
export function byChain<Key extends { readonly chainId: string }>(keys: readonly Key[]): [bigint, Key[]][] {
  const groups = new Map<string, Key[]>();
  for (const key of keys) groups.set(key.chainId, [...(groups.get(key.chainId) ?? []), key]);
  return [...groups].map(([chainId, group]) => [BigInt(chainId), group]);
}
