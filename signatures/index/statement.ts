import DataLoader from "dataloader";
import type pg from "pg";
import { withOutage } from "../../core/database.ts";

/** The part of a connection pool that reading needs. */
export type Queries = Pick<pg.Pool, "query">;

/** Runs a statement. Bytes are buffers, BIGINT and NUMERIC decimal text. */
export type Statement<Row> = (values: readonly unknown[]) => Promise<Row[]>;

/**
 * Returns a function that runs a statement, which each connection prepares once. Fails with `UNAVAILABLE` and the reason if the
 * database cannot be used.
 */
export function createStatement<Row extends pg.QueryResultRow>(
  pool: Queries,
  name: string,
  text: string,
): Statement<Row> {
  return (values) => withOutage(async () => (await pool.query<Row>({ name, text, values: [...values] })).rows);
}

/** A row that answers the key at this position among the keys of a statement; the first one is "1". */
export interface Positioned {
  readonly position: string;
}

/** Loads the rows of a key. Keys of one tick share one statement, and each key is read once. */
export type RowsOf<Key extends readonly unknown[], Row> = (...key: Key) => Promise<readonly Row[]>;

/** Makes the loader of one call. `statement` takes one array for each member of the keys. */
export function createRowsOf<Key extends readonly unknown[], Row extends Positioned>(
  statement: Statement<Row>,
): RowsOf<Key, Row> {
  const load = async (keys: readonly Key[]): Promise<Row[][]> => {
    const [first = []] = keys;
    const found: Row[][] = keys.map(() => []);
    for (const row of await statement(first.map((_, member) => keys.map((key) => key[member]))))
      found[Number(row.position) - 1]?.push(row);
    return found;
  };
  const loader = new DataLoader<Key, Row[], string>(load, { cacheKeyFn: textOf });
  return (...key) => loader.load(key);
}

const textOf = (key: readonly unknown[]): string =>
  key.map((member) => (Buffer.isBuffer(member) ? member.toString("hex") : String(member))).join(" ");
