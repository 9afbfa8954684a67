import { type TextRow, textRow } from "./text-rows.ts";

/** How the rows of one table are found through Prisma by a key of two columns: a partition, and an id within it. */
export interface RowsByIdOptions<Key, Id, Condition, Row> {
  /** Column that the table is partitioned by, as decimal text: the chain id or the network id. */
  readonly partitionOf: (key: Key) => string;
  /** The id as Prisma takes it. */
  readonly idOf: (key: Key) => Id;
  /** Prisma's condition for some ids of one partition. */
  readonly where: (partition: bigint, ids: Id[]) => Condition;
  /** Prisma's `findMany`, for rows that fulfil any of the conditions. */
  readonly findMany: (conditions: Condition[]) => PromiseLike<Row[]>;
}

/**
 * Returns a function that reads rows by their keys through Prisma. One statement reads all keys, of any partitions, and returns
 * the rows in any order. Rows that do not exist are left out. BIGINT and NUMERIC columns are decimal text, bytes are `0x` hex.
 *
 * For keys of more columns, use `createKeyedRows`: Prisma would make one condition for each key, which takes 25 times as
 * long for a hundred keys.
 */
export function createRowsById<Key, Id, Condition, Row extends object>({
  partitionOf,
  idOf,
  where,
  findMany,
}: RowsByIdOptions<Key, Id, Condition, Row>): (keys: readonly Key[]) => Promise<TextRow<Row>[]> {
  return async (keys) => {
    const idsByPartition = new Map<string, Id[]>();
    for (const key of keys) {
      const partition = partitionOf(key);
      const ids = idsByPartition.get(partition) ?? [];
      if (ids.length === 0) idsByPartition.set(partition, ids);
      ids.push(idOf(key));
    }
    const conditions = [...idsByPartition].map(([partition, ids]) => where(BigInt(partition), ids));
    return (await findMany(conditions)).map(textRow);
  };
}
