import type pg from "pg";

/** Runs a task in a transaction, which is rolled back if the task throws. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  task: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await task(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection with an open transaction is closed instead of used again, which rolls the transaction back.
    client.release(failure);
  }
}
