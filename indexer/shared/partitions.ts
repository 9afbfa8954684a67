import type { Writer } from "./writer.ts";

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
    await transaction((session) =>
      session.query(`CREATE TABLE IF NOT EXISTS ${table}_${id} PARTITION OF ${table} FOR VALUES IN (${id})`),
    );
}
