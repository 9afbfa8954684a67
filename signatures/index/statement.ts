import type pg from "pg";
import { groupByPartition, type PartitionKeys } from "../../core/database/by-partition.ts";
import { createDataLoader } from "../../core/database/data-loader.ts";
import { withOutage } from "../../core/database/database.ts";

/** The part of a connection pool that reading needs. */
export type Queries = Pick<pg.Pool, "query">;

/** Where the rows of EVM chains and of primary networks are read: by the id of the chain or network, which is `$1` of each statement. */
export interface IndexPools {
  evm(chainId: unknown): Queries;
  primary(networkId: unknown): Queries;
}

/** Runs a statement. Bytes are buffers, BIGINT and NUMERIC decimal text. */
export type Statement<Row> = (values: readonly unknown[]) => Promise<Row[]>;

/**
 * Returns a function that runs a statement in the database of its chain or network `$1`. PostgreSQL plans it for the values, so that it locks
 * the tables of this chain or network alone. Fails with `UNAVAILABLE` and the reason if the database cannot be used.
 */
export function createStatement<Row extends pg.QueryResultRow>(
  poolOf: (partition: unknown) => Queries,
  text: string,
): Statement<Row> {
  return (values) => withOutage(async () => (await poolOf(values[0]).query<Row>(text, [...values])).rows);
}

/** A row that answers the key at this position among the keys of a statement; the first one is "1". */
export interface Positioned {
  readonly position: string;
}

/** The chain id or network id of a key, and its other members. */
export type KeyOf<Others extends readonly unknown[]> = readonly [partition: number, ...others: Others];

/** Loads the rows of a key. Keys of one tick and one chain or network share one statement, and each key is read once. */
export type RowsOf<Key extends KeyOf<readonly unknown[]>, Row> = (...key: Key) => Promise<readonly Row[]>;

/** Makes the loader of one call. `statement` takes the chain id or network id, and an array for each other member of the keys. */
export function createRowsOf<Key extends KeyOf<readonly unknown[]>, Row extends Positioned>(
  statement: Statement<Row>,
): RowsOf<Key, Row> {
  const load = async (keys: readonly Key[]): Promise<Row[][]> => {
    const found: Row[][] = keys.map(() => []);
    const groups = groupByPartition(keys, ([partition]) => String(partition));
    const readGroup = async ({ partition, keys: own, indexes }: PartitionKeys<Key>) => {
      const members = (own[0] ?? []).slice(1).map((_, member) => own.map((key) => key[member + 1]));
      for (const row of await statement([partition, ...members]))
        found[indexes[Number(row.position) - 1] ?? -1]?.push(row);
    };
    await Promise.all(groups.map(readGroup));
    return found;
  };
  const loader = createDataLoader("signatures", load, { cacheKeyFn: textOf });
  return (...key) => loader.load(key);
}

const textOf = (key: readonly unknown[]): string =>
  key.map((member) => (Buffer.isBuffer(member) ? member.toString("hex") : String(member))).join(" ");
