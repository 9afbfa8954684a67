import { groupByPartition } from "../../../core/database/by-partition.ts";
import type { PrismaQuery } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import type { PrismaClient } from "../../../prisma/client/client.ts";
import { type TextRow, textRow } from "./text-rows.ts";

/** How the rows of one table are found through Prisma by a key of two columns: a partition, and an id within it. */
export interface RowsByIdOptions<Key, Id, Row> {
  /** Column that the table is partitioned by, as decimal text: the chain id or the network id. */
  readonly partitionOf: (key: Key) => string;
  /** The id as Prisma takes it. */
  readonly idOf: (key: Key) => Id;
  /** Reads the rows with some ids of one partition: Prisma's `findMany`. */
  readonly findMany: (client: PrismaClient, partition: bigint, ids: Id[]) => PromiseLike<Row[]>;
}

/**
 * Returns a function that reads rows by their keys through Prisma. One statement reads the keys of a partition, and the rows are in any
 * order. Rows that do not exist are left out. BIGINT and NUMERIC columns are decimal text, bytes are `0x` hex.
 *
 * For keys of more columns, use `createKeyedRows`: Prisma would make one condition for each key, which takes 25 times as
 * long for a hundred keys.
 */
export function createRowsById<Key, Id, Row extends object>(
  prisma: PrismaQuery,
  { partitionOf, idOf, findMany }: RowsByIdOptions<Key, Id, Row>,
): (keys: readonly Key[], work: Work) => Promise<TextRow<Row>[]> {
  return async (all, work) => {
    const found: TextRow<Row>[] = [];
    // One after the other: a request over many chains must not take all connections of the pool.
    for (const { partition, keys } of groupByPartition(all, partitionOf)) {
      const rows = await prisma((client) => findMany(client, BigInt(partition), keys.map(idOf)), work, partition);
      found.push(...rows.map(textRow));
    }
    return found;
  };
}
