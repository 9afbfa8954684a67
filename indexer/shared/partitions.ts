import type { Writer } from "./writer.ts";

/** Name of the table with the rows of one chain or network. */
export function partitionOf(table: string, id: number | string): string {
  return `${table}_${id}`;
}

/**
 * Creates the missing partitions of one chain or network. Each has a transaction of its own, because creating one locks its
 * table, and readers may lock the tables in another order.
 */
export async function createPartitionsOf(
  { transaction }: Pick<Writer, "transaction">,
  tables: readonly string[],
  id: number | string,
): Promise<void> {
  for (const table of tables)
    await transaction(
      (session) =>
        session.query(
          `CREATE TABLE IF NOT EXISTS ${partitionOf(table, id)} PARTITION OF ${table} FOR VALUES IN (${id})`,
        ),
      // If the server crashes, all that was written into the partition is lost with it.
      { relaxed: true },
    );
}
