import DataLoader from "dataloader";
import { observeBatch } from "../observability/observe.ts";

/**
 * Makes a DataLoader, which every loader is. `name` is its name in Prometheus metrics and traces. `read` returns a value or an error for each key, in
 * their order. If it rejects, the keys are read again when they are requested again.
 */
export function createDataLoader<Key extends object, Value>(
  name: string,
  read: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  options: DataLoader.Options<Key, Value, string> = {},
): DataLoader<Key, Value, string> {
  return new DataLoader<Key, Value, string>((keys) => observeBatch(name, keys.length, () => read(keys)), {
    cacheKeyFn: textOfKey,
    ...options,
  });
}

/** The members of a key as one text. */
export const textOfKey = (key: object): string => Object.values(key).join(" ");
