import type { Writer } from "./writer.ts";

/**
 * Makes the parts of partitioned tables that hold the rows of one chain or network, where they are missing. Each in a
 * transaction of its own: making one locks its table, and readers may hold the tables in another order.
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
