import type pg from "pg";
import { unavailable, withOutage } from "./database.ts";

/**
 * Runs a task in a transaction, which is rolled back if the task throws. Fails with `UNAVAILABLE` and the reason if the
 * database cannot be used.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  task: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return withOutage(async () => {
    const client = await pool.connect();
    let isClean = false;
    try {
      await client.query("BEGIN");
      const result = await task(client);
      await client.query("COMMIT");
      isClean = true;
      return result;
    } catch (error) {
      isClean = unavailable(error) === null && (await isRolledBack(client));
      throw error;
    } finally {
      // A connection whose state is unknown is closed, which also rolls the transaction back.
      client.release(!isClean);
    }
  });
}

function isRolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}
