import type { Work } from "../../../core/work/work.ts";

/** Reads the rows of each of some keys. */
type ReadRows<Key, Row> = (keys: readonly Key[], work: Work) => Promise<Row[][]>;

/** Returns a function that reads keys with the statement of their direction. `pageOfRows` makes the page of a key, or nothing. */
export function readInDirections<Key extends { readonly isBackward: boolean }, Row, Found>(
  readers: (isBackward: boolean) => ReadRows<Key, Row>,
  pageOfRows: (key: Key, rows: readonly Row[]) => Found[],
): (keys: readonly Key[], work: Work) => Promise<Found[]> {
  return async (all, work) => {
    const found: Found[] = [];
    for (const isBackward of [false, true]) {
      const keys = all.filter((key) => key.isBackward === isBackward);
      const byKey = keys.length === 0 ? [] : await readers(isBackward)(keys, work);
      found.push(...keys.flatMap((key, index) => pageOfRows(key, byKey[index] ?? [])));
    }
    return found;
  };
}
