import type pg from "pg";
import { unavailable } from "../../../core/database.ts";

/** Runs statements in one transaction. Fails with `UNAVAILABLE` and the reason if the database cannot be used. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  try {
    const client = await pool.connect();
    let failure: unknown;
    try {
      await client.query("BEGIN");
      const result = await run(client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      failure = error;
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      // After an outage the state of the connection is unknown, so it is closed.
      client.release(unavailable(failure) !== null);
    }
  } catch (error) {
    throw unavailable(error) ?? error;
  }
}
