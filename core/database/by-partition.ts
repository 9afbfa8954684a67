import type pg from "pg";
import type { Work } from "../work/work.ts";
import { type PreparedStatement, runTogether } from "./database.ts";

/** The keys of a batch that belong to one partition: to one chain, or to one primary network. */
export interface PartitionKeys<Key> {
  /** Chain id or network id, as the key has it. */
  readonly partition: string;
  readonly keys: readonly Key[];
  /** Where each of these keys is in the batch. */
  readonly indexes: readonly number[];
}

/** Groups keys by their partition. Partitions are in the order of their first keys, and keys keep their order. */
export function groupByPartition<Key>(
  keys: readonly Key[],
  partitionOf: (key: Key) => string,
): readonly PartitionKeys<Key>[] {
  const groups = new Map<string, { partition: string; keys: Key[]; indexes: number[] }>();
  keys.forEach((key, index) => {
    const partition = partitionOf(key);
    const group = groups.get(partition) ?? { partition, keys: [], indexes: [] };
    if (group.keys.length === 0) groups.set(partition, group);
    group.keys.push(key);
    group.indexes.push(index);
  });
  return [...groups.values()];
}

/** How a batch of keys becomes the parameters of one statement for each partition. */
export interface PartitionParameters<Key> {
  /** Chain id or network id: parameter `$1`. */
  readonly partitionOf: (key: Key) => string;
  /** The other parameters, for keys of one partition: usually a list for each column of the key. */
  readonly valuesOf: (keys: readonly Key[]) => readonly unknown[];
}

/**
 * Returns a function that reads rows for keys with one statement for each partition among them. A statement reads one partition and
 * names it by its first parameter: PostgreSQL then plans and locks the tables of this partition alone, however many there are. The
 * statements of several partitions are sent together over one connection.
 */
export function readByPartition<Key, Row extends pg.QueryResultRow>(
  statement: PreparedStatement<Row>,
  parameters: PartitionParameters<Key>,
): (keys: readonly Key[], work: Work) => Promise<PartitionRows<Key, Row>[]> {
  return async (keys, work) => {
    const groups = groupByPartition(keys, parameters.partitionOf);
    const values = groups.map((group) => partitionValues(group.keys, parameters));
    const rows = await rowsOfEach(statement, values, work);
    return groups.map((group, index) => ({ ...group, rows: rows[index] as Row[] }));
  };
}

/** All parameters of the statement for keys of one partition, of which there must be at least one. */
export function partitionValues<Key>(
  keys: readonly Key[],
  { partitionOf, valuesOf }: PartitionParameters<Key>,
): unknown[] {
  return [partitionOf(keys[0] as Key), ...valuesOf(keys)];
}

/** The rows that a statement returned for the keys of one partition. */
export type PartitionRows<Key, Row> = PartitionKeys<Key> & { readonly rows: Row[] };

/** Runs a statement once for each list of values, all together over one connection. Returns the rows of each. */
export function rowsOfEach<Row>(
  statement: PreparedStatement<Row>,
  values: readonly unknown[][],
  work: Work,
): Promise<Row[][]> {
  return runTogether<Row[]>(
    values.map((one) => statement.with(one)),
    work,
  );
}

/** A row of the key with this number among the keys of its statement, as `WITH ORDINALITY` counts them: the first is "1". */
export interface Numbered {
  readonly request: string;
}

/**
 * As `readByPartition`, for a statement whose rows have the number of their key. Returns the rows of each key, in the order of the keys.
 */
export function readRowsOfKeys<Key, Row extends pg.QueryResultRow & Numbered>(
  statement: PreparedStatement<Row>,
  parameters: PartitionParameters<Key>,
): (keys: readonly Key[], work: Work) => Promise<Row[][]> {
  const read = readByPartition(statement, parameters);
  return async (keys, work) => {
    const found = keys.map((): Row[] => []);
    for (const { indexes, rows } of await read(keys, work))
      for (const row of rows) found[indexes[Number(row.request) - 1] ?? -1]?.push(row);
    return found;
  };
}

/** As `readByPartition`, for a statement whose rows name their key. Returns all rows, partition after partition. */
export function readRowsByPartition<Key, Row extends pg.QueryResultRow>(
  statement: PreparedStatement<Row>,
  parameters: PartitionParameters<Key>,
): (keys: readonly Key[], work: Work) => Promise<Row[]> {
  const read = readByPartition(statement, parameters);
  return async (keys, work) => (await read(keys, work)).flatMap(({ rows }) => rows);
}
